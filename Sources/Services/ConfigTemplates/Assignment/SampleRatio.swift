#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A test that an experiment's variants have as many installations as their weights say (Pearson's
/// chi-squared test).
package struct SampleRatio: Sendable, Equatable {
  /// Below it a mismatch is reported: by chance alone it occurs once in a thousand experiments.
  package static let threshold = 0.001

  /// Pearson's statistic, with one degree of freedom fewer than there are variants.
  package let chiSquared: Double
  /// The probability of such a difference or a larger one by chance.
  package let probability: Double

  /// True if the difference is hardly chance: something loses installations of one variant.
  package var isMismatch: Bool { probability < Self.threshold }

  /// The test of counts against weights, which are above zero and as many; nil before anybody is assigned.
  package init?(counts: [Int64], weights: [Int]) {
    let total = counts.reduce(0, +)
    let whole = weights.reduce(0, +)
    guard counts.count == weights.count, counts.count > 1, total > 0, whole > 0 else { return nil }
    chiSquared = zip(counts, weights).reduce(0) { sum, pair in
      let expected = Double(total) * Double(pair.1) / Double(whole)
      let difference = Double(pair.0) - expected
      return sum + difference * difference / expected
    }
    probability = Self.upperGamma(Double(counts.count - 1) / 2, chiSquared / 2)
  }

  /// The regularized upper incomplete gamma function Q(a, x), for half of a whole number a > 0 and x >= 0.
  static func upperGamma(_ a: Double, _ x: Double) -> Double {
    guard x > 0 else { return 1 }
    let scale = exp(a * log(x) - x - logGamma(a))
    return x < a + 1 ? 1 - scale * series(a, x) : scale * continuedFraction(a, x)
  }

  /// The logarithm of the gamma function, for half of a whole number above zero.
  private static func logGamma(_ a: Double) -> Double {
    var x = a == a.rounded() ? 1 : 0.5
    var result = x == 1 ? 0 : 0.5 * log(Double.pi)
    while x < a {
      result += log(x)
      x += 1
    }
    return result
  }

  /// The sum of x^n / (a (a+1) … (a+n)).
  private static func series(_ a: Double, _ x: Double) -> Double {
    var term = 1 / a
    var sum = term
    var n = 1.0
    while term > sum * 1e-16, n < 10_000 {
      term *= x / (a + n)
      sum += term
      n += 1
    }
    return sum
  }

  /// 1 / (x+1-a - 1(1-a) / (x+3-a - 2(2-a) / (x+5-a - …))), from the front (Lentz's method).
  private static func continuedFraction(_ a: Double, _ x: Double) -> Double {
    let tiny = 1e-300
    var b = x + 1 - a
    var c = 1 / tiny
    var d = 1 / b
    var result = d
    for n in 1..<10_000 {
      let factor = -Double(n) * (Double(n) - a)
      b += 2
      d = factor * d + b
      d = 1 / (abs(d) < tiny ? tiny : d)
      c = b + factor / c
      if abs(c) < tiny { c = tiny }
      result *= c * d
      if abs(c * d - 1) < 1e-15 { break }
    }
    return result
  }
}
