/// The content of a screen that the service fills.
package enum Content<Value: Sendable>: Sendable {
  /// The skeleton shows.
  case loading
  case loaded(Value)
  /// Nothing was ever loaded, and the last try failed.
  case failed

  package var value: Value? {
    if case .loaded(let value) = self { value } else { nil }
  }

  package var isLoading: Bool {
    if case .loading = self { true } else { false }
  }

  package var hasFailed: Bool {
    if case .failed = self { true } else { false }
  }

  /// A new try; what was loaded stays visible.
  mutating func startLoading() {
    if hasFailed { self = .loading }
  }

  /// The try has failed; what was loaded stays visible.
  mutating func fail() {
    if isLoading { self = .failed }
  }
}
