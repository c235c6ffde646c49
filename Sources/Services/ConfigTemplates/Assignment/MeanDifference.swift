#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The sample of a mean: the number of measurements, and their sums.
struct MeanSample: Sendable, Equatable {
  let count: Int
  let sum: Double
  let sumOfSquares: Double

  var mean: Double { sum / Double(count) }

  /// The variance of the mean, estimated.
  fileprivate var variance: Double {
    let spread = max(0, sumOfSquares - sum * mean) / Double(count - 1)
    return spread / Double(count)
  }
}

/// The difference of a mean from another one, with an interval that stays valid for repeated looks.
///
/// An ordinary interval of 95 % is wrong far more often than once in twenty where one looks every day and
/// stops at what one likes. This one is the inverse of the mixture sequential probability ratio test (Johari, Pekelis,
/// Walsh, "Always valid inference", 2015) with a normal mixture, and somewhat wider.
package struct MeanDifference: Sendable, Equatable {
  /// Fewer in either sample say nothing: their mean is not distributed normally.
  static let minimumCount = 100
  /// The probability with which an interval may be wrong at any time.
  static let level = 0.05
  /// The mixture's variance in variances of one measurement: intervals are tightest at about 5,000 in each sample.
  private static let mixture = 0.003

  /// The sample's mean minus the baseline's.
  package let value: Double
  /// The lower end of the interval.
  package let low: Double
  /// The upper end of the interval.
  package let high: Double
  /// The probability of ever seeing such a difference or a larger one if there were none.
  package let probability: Double

  /// True if the difference is hardly chance.
  package var isSignificant: Bool { low > 0 || high < 0 }

  /// Compares a sample with a baseline; nil where they are too small, or all measurements alike.
  ///
  /// - Parameter comparisons: The number of samples that are compared with the baseline, which
  ///   share the level.
  init?(_ sample: MeanSample, above baseline: MeanSample, comparisons: Int) {
    guard sample.count >= Self.minimumCount, baseline.count >= Self.minimumCount else { return nil }
    let variance = sample.variance + baseline.variance
    guard variance > 0 else { return nil }
    let size = 1 / (1 / Double(sample.count) + 1 / Double(baseline.count))
    let ratio = size * Self.mixture
    let difference = sample.mean - baseline.mean
    let bound = 2 * log(Double(comparisons) / Self.level) + log(1 + ratio)
    let width = (variance * (1 + ratio) / ratio * bound).squareRoot()
    value = difference
    low = difference - width
    high = difference + width
    let evidence = ratio / (1 + ratio) * difference * difference / variance / 2 - log(1 + ratio) / 2
    probability = min(1, Double(comparisons) * exp(-evidence))
  }
}
