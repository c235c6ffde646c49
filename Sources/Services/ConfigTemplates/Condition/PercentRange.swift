import Crypto

/// The part of all installations that a percent condition takes: an interval of micro-percentiles.
///
/// Every installation has one micro-percentile a seed, 0 ..< 100,000,000: SHA-256 of the UTF-8 bytes of
/// `seed.id` (of the id alone where the seed is empty) as an unsigned integer, modulo that number, as
/// Google publishes it. Widening an interval therefore only adds installations.
package struct PercentRange: Sendable, Equatable {
  /// Names whose percentile counts; conditions with one seed take the same installations.
  package let seed: String
  /// The interval that contains the percentiles of its installations.
  package let kind: Kind

  /// The interval in micro-percent.
  package enum Kind: Sendable, Equatable {
    case atMost(Int)
    case above(Int)
    /// Above the lower bound and at most the upper one.
    case between(Int, Int)
  }

  /// Micro-percentiles that there are.
  package static let whole = 100_000_000

  /// An interval of a seed's percentiles.
  package init(seed: String, _ kind: Kind) {
    self.seed = seed
    self.kind = kind
  }

  /// Returns true if the interval has the percentile.
  package func contains(_ percentile: Int) -> Bool {
    switch kind {
    case .atMost(let bound): percentile <= bound
    case .above(let bound): percentile > bound
    case .between(let lower, let upper): lower < percentile && percentile <= upper
    }
  }

  /// The micro-percentile of an id under a seed.
  package static func percentile(of id: String, seed: String) -> Int {
    var hash = SHA256()
    if !seed.isEmpty { hash.update(data: Array("\(seed).".utf8)) }
    hash.update(data: Array(id.utf8))
    return hash.finalize().reduce(0) { ($0 << 8 | Int($1)) % whole }
  }
}
