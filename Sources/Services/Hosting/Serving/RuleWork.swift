/// The work that a site's rules may still take for one request, in steps.
///
/// Many rules share one allowance, so that a site with thousands of expensive patterns costs a
/// request no more than one with a single pattern. A step is a few nanoseconds: a byte of a path
/// that is compared, a state of a regular expression that is entered.
package struct RuleWork: Sendable {
  /// The rules need more steps than a request has.
  package struct Exceeded: Error {}

  /// The steps of a request: some tens of milliseconds.
  package static let ofRequest = 2_000_000

  /// The steps that are left; positive until `Exceeded` is thrown.
  package private(set) var left: Int

  /// An allowance of that many steps.
  package init(_ steps: Int = Self.ofRequest) { left = steps }

  /// Takes steps, or throws if there are not enough.
  mutating func take(_ steps: Int) throws(Exceeded) { try leave(left - steps) }

  /// Sets the steps that a search has left; throws if it used up all of them.
  mutating func leave(_ steps: Int) throws(Exceeded) {
    left = steps
    guard steps > 0 else { throw Exceeded() }
  }
}
