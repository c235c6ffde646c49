import PushMessaging
import Testing

@testable import Outbound

@Suite struct APNsAnswerTests {
  @Test(arguments: [
    (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
    (400, "BadTopic"), (400, "DeviceTokenNotForTopic"), (400, "DuplicateHeaders"),
    (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "MissingTopic"),
    (400, "PayloadEmpty"), (404, "BadPath"), (405, "MethodNotAllowed"), (413, "PayloadTooLarge"),
  ])
  func `what is wrong with the message ends it`(_ status: Int, _ reason: String) {
    #expect(Self.step(status, reason) == .end(.refused(reason: reason)))
  }

  @Test(arguments: [
    (400, "TopicDisallowed"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"),
    (403, "Forbidden"), (403, "InvalidProviderToken"), (403, "MissingProviderToken"),
    (403, "UnrelatedKeyIdInToken"), (403, "BadEnvironmentKeyIdInToken"),
  ])
  func `what is wrong with the key is no fault of the device`(_ status: Int, _ reason: String) {
    #expect(Self.step(status, reason) == .end(.unauthorized(reason: reason)))
  }

  @Test(arguments: [
    (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable"),
    (503, "Shutdown"),
  ])
  func `what may pass is tried again`(_ status: Int, _ reason: String) {
    #expect(Self.step(status, reason) == .end(.retry(after: nil, reason: reason)))
    let later = Self.step(status, reason, headers: ["retry-after": "7"])
    #expect(later == .end(.retry(after: .seconds(7), reason: reason)))
  }

  @Test func `too many provider tokens want twenty minutes of peace`() {
    let step = Self.step(429, "TooManyProviderTokenUpdates")
    let reason = "TooManyProviderTokenUpdates"
    #expect(step == .end(.retry(after: .seconds(1_200), reason: reason)))
  }

  @Test func `tokens that ended say when`() {
    let body = #"{"reason":"Unregistered","timestamp":1700000000123}"#
    #expect(Self.step(410, body: body) == .end(.gone(since: 1_700_000_000_123_000)))
    #expect(Self.step(410, "ExpiredToken") == .end(.gone(since: nil)))
    let absurd = #"{"reason":"Unregistered","timestamp":9223372036854775807}"#
    #expect(Self.step(410, body: absurd) == .end(.gone(since: nil)))
  }

  @Test func `expired provider tokens and wrong environments have steps of their own`() {
    #expect(Self.step(403, "ExpiredProviderToken") == .renewToken)
    #expect(Self.step(400, "BadDeviceToken") == .tryOtherEnvironment)
  }

  @Test(arguments: ["", "<html>", "[]", #"{"reason":7}"#, #"{"reason":"a b\n"}"#])
  func `what is no reason of Apple's is not repeated`(_ body: String) {
    #expect(Self.step(400, body: body) == .end(.refused(reason: "HTTP 400")))
  }

  @Test func `an accepted message has the id that came back`() {
    let step = Self.step(200, body: "", headers: ["apns-id": "ID-1"])
    #expect(step == .end(.handed(id: "ID-1")))
  }

  private static func step(
    _ status: Int,
    _ reason: String,
    headers: [String: String] = [:]
  ) -> APNsAnswer.Step {
    step(status, body: "{\"reason\":\"\(reason)\"}", headers: headers)
  }

  private static func step(
    _ status: Int,
    body: String,
    headers: [String: String] = [:]
  ) -> APNsAnswer.Step {
    let answer = PushHostClient.Answer(status: status, headers: headers, body: Array(body.utf8))
    return APNsAnswer(answer, now: 0).step
  }
}
