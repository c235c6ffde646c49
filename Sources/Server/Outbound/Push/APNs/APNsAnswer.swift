import BaseJSON
import PushMessaging

/// The response of Apple's push service to one request.
struct APNsAnswer: Sendable, Equatable {
  /// The next step after it.
  enum Step: Sendable, Equatable {
    case end(PushOutcome)
    /// The provider token is expired: once more with a new one.
    case renewToken
    /// The token is none of this environment: once more in the other one.
    case tryOtherEnvironment
  }

  let status: Int
  let id: String?
  let reason: String
  /// The time at which the device's token ended, in milliseconds since 1970; with 410 only.
  let timestamp: Int64?
  let pause: Duration?

  /// Reads a response that came at `now`, in seconds since 1970.
  init(_ answer: PushHostClient.Answer, now: Int) {
    status = answer.status
    id = answer.headers["apns-id"]
    // A push that was taken has an empty one.
    let body =
      answer.body.isEmpty
      ? nil : try? JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
    // A text that is not one of Apple's reasons is not passed on.
    let said = body?["reason"]?.string ?? ""
    let isPlain = said.utf8.count <= 64 && said.utf8.allSatisfy { Self.isLetter($0) }
    reason = isPlain && !said.isEmpty ? said : "HTTP \(answer.status)"
    timestamp = body?["timestamp"]?.integer
    pause = answer.headers["retry-after"].flatMap { RetryAfter.duration($0, now: now) }
  }

  var step: Step {
    switch (status, reason) {
    case (200, _): .end(.handed(id: id))
    case (400, "BadDeviceToken"): .tryOtherEnvironment
    case (400, "IdleTimeout"): .end(.retry(after: .zero, reason: reason))
    case (400, "TopicDisallowed"), (403, "BadEnvironmentKeyIdInToken"):
      .end(.unauthorized(reason: reason))
    case (403, "ExpiredProviderToken"): .renewToken
    case (403, _): .end(.unauthorized(reason: reason))
    case (410, _): .end(.gone(since: microseconds))
    // Apple counts tokens an hour and a key; another one sooner makes it worse.
    case (429, "TooManyProviderTokenUpdates"):
      .end(.retry(after: pause ?? .seconds(20 * 60), reason: reason))
    case (429, _), (500..., _): .end(.retry(after: pause, reason: reason))
    default: .end(.refused(reason: reason))
    }
  }

  private var microseconds: Int64? {
    guard let timestamp, timestamp > 0 else { return nil }
    let product = timestamp.multipliedReportingOverflow(by: 1_000)
    return product.overflow ? nil : product.partialValue
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
