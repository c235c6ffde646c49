import ArgumentParser
import EventAnalytics

/// The bounds for data that apps and strangers send to analytics, and the days to delete when disk
/// space is short, from `BRASA_*` variables.
///
///     BRASA_ANALYTICS_EXPORT              the directory of the daily export
///     BRASA_ANALYTICS_APP_MEGABYTES       events of an app in a day: 1 to 1,048,576, 1,024 if not said
///     BRASA_ANALYTICS_UNPROVEN_MEGABYTES  events in a project and a day of senders that prove nothing: 1 to 1,048,576, 64 if not said
///     BRASA_ANALYTICS_DROP_OVER_DAYS      lets a disk without room drop events that are so many days old: 1 to 3,650, none if not said
///     BRASA_INSTALLATIONS_PER_NETWORK     installations that a network makes in an hour: 1 to 10,000,000, 5,000 if not said
struct EventSettings: Sendable, Equatable {
  /// The directory of the daily export of events; nil exports nothing.
  let exportDirectory: String?
  /// Days of events that stay however little room there is; nil drops none.
  let keptDays: Int?
  /// Installations that a network makes in an hour; nil has no bound.
  let installationsPerNetwork: Int?
  private let appMegabytes: Int?
  private let unprovenMegabytes: Int?
  private let isDevelopment: Bool

  private static let megabytes = 1...1_048_576
  private static let usualInstallations = 5_000

  /// Reads the variables, and refuses what cannot be meant.
  init(_ environment: EnvironmentReader, isDevelopment: Bool) throws {
    exportDirectory = environment.text("ANALYTICS_EXPORT")
    keptDays = try Self.number("ANALYTICS_DROP_OVER_DAYS", 1...3_650, environment)
    let named = try Self.number("INSTALLATIONS_PER_NETWORK", 1...10_000_000, environment)
    installationsPerNetwork = named ?? (isDevelopment ? nil : Self.usualInstallations)
    appMegabytes = try Self.number("ANALYTICS_APP_MEGABYTES", Self.megabytes, environment)
    unprovenMegabytes = try Self.number("ANALYTICS_UNPROVEN_MEGABYTES", Self.megabytes, environment)
    self.isDevelopment = isDevelopment
  }

  private static func number(
    _ name: String,
    _ range: ClosedRange<Int>,
    _ environment: EnvironmentReader
  ) throws -> Int? {
    guard let number = try environment.number(name) else { return nil }
    guard range.contains(number) else {
      throw ValidationError(
        "BRASA_\(name) must be between \(range.lowerBound) and \(range.upperBound)."
      )
    }
    return number
  }

  /// The bounds of the intake.
  var limits: IntakeLimits {
    var limits = IntakeLimits()
    if isDevelopment { limits.removeDays() }
    if let appMegabytes { limits.appDay = appMegabytes << 20 }
    if let unprovenMegabytes { limits.setUnproven(inProject: unprovenMegabytes << 20) }
    return limits
  }
}
