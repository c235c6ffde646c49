import ArgumentParser
import PushMessaging

/// The needs of messaging from the network, and the times that it keeps its data, from `BRASA_*`
/// variables.
///
///     BRASA_PUSH_HOSTS         hosts of UnifiedPush to send to besides the browsers' services: host, host:port or
///                              *.domain, with commas
///     BRASA_PUSH_CA            a PEM file of authorities to trust besides the system's
///     BRASA_APNS_PRODUCTION, BRASA_APNS_SANDBOX    other URLs than Apple's, for trying it out
///     BRASA_MESSAGE_DAYS       how long a message and what became of it are kept: 1 to 400, 30 if not said
///     BRASA_REGISTRATION_DAYS  how long a registration lives that is not heard of: 30 to 3650, 270 if not said
struct MessagingSettings: Sendable, Equatable {
  let pushHosts: [String]
  let authorities: String?
  let apnsProduction: String?
  let apnsSandbox: String?
  let messageDays: Int?
  let registrationDays: Int?

  /// Reads the variables, and refuses what cannot be meant.
  init(_ environment: EnvironmentReader) throws {
    pushHosts = (environment.text("PUSH_HOSTS") ?? "").split(separator: ",").map { text in
      String(text.filter { $0 != " " })
    }
    authorities = environment.text("PUSH_CA")
    apnsProduction = environment.text("APNS_PRODUCTION")
    apnsSandbox = environment.text("APNS_SANDBOX")
    messageDays = try Self.days("MESSAGE_DAYS", 1...400, environment)
    registrationDays = try Self.days("REGISTRATION_DAYS", 30...3_650, environment)
  }

  private static func days(
    _ name: String,
    _ range: ClosedRange<Int>,
    _ environment: EnvironmentReader
  ) throws -> Int? {
    guard let days = try environment.number(name) else { return nil }
    guard range.contains(days) else {
      throw ValidationError(
        "BRASA_\(name) must be between \(range.lowerBound) and \(range.upperBound)."
      )
    }
    return days
  }

  /// The bounds of a server with these settings.
  var limits: MessagingLimits {
    var limits = MessagingLimits()
    if let messageDays { limits.messageDays = Int64(messageDays) }
    if let registrationDays { limits.staleDays = Int64(registrationDays) }
    return limits
  }
}
