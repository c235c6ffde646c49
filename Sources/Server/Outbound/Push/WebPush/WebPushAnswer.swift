import PushMessaging

/// The meaning of a push service's response (RFC 8030, 8292).
enum WebPushAnswer {
  /// The outcome of a response that came at `now`, in seconds since 1970.
  static func outcome(_ answer: PushHostClient.Answer, now: Int) -> PushOutcome {
    let pause = answer.headers["retry-after"].flatMap { RetryAfter.duration($0, now: now) }
    switch answer.status {
    // A push service gives no id of the message that it took, only the URL by which it can be withdrawn.
    case 200..<300: return .handed(id: nil)
    case 404, 410: return .gone(since: nil)
    case 401, 403: return .unauthorized(reason: "HTTP \(answer.status)")
    case 413: return .refused(reason: "the payload is too large for the push service")
    case 408, 425, 429, 500...: return .retry(after: pause, reason: "HTTP \(answer.status)")
    case 300..<400: return .refused(reason: "the push service redirects, which is not followed")
    default: return .refused(reason: "HTTP \(answer.status)")
    }
  }
}
