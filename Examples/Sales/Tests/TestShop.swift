import ExampleTesting
import Foundation
import RESTClient
import ServiceHost
import Synchronization
import Testing

@testable import SalesService

/// A running provider whose clock the test sets, and what it notified.
struct TestShop: ShopClient {
  let url: URL
  let now: TestNow
  let notifier: RecordingNotifier

  static func run(
    file: URL? = nil,
    now: TestNow = TestNow(),
    through messages: MessageNotifier? = nil,
    rules: Rules = .book,
    sample: Bool = false,
    _ body: @Sendable (TestShop) async throws -> Void
  ) async throws {
    let notifier = RecordingNotifier()
    let service = try await SalesService(
      file: file,
      passwords: PasswordHash(rounds: 16),
      notifier: messages ?? notifier,
      rules: rules,
      now: { now.date }
    )
    if sample { try await service.addSampleData() }
    try await withServer(service.router()) { url in
      try await body(TestShop(url: url, now: now, notifier: notifier))
    }
  }

  func addProduct(_ code: String, token: String, name: String = "Caneta") async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/api/products",
      token: token,
      body: #"{"name":"\#(name)","description":"azul","code":"\#(code)","price":1.5}"#
    )
  }
}

/// Keeps what people would be told; registrations that begin with "gone" have ended.
final class RecordingNotifier: Notifier {
  private let kept = Mutex<[OrderNotice]>([])

  var notices: [OrderNotice] { kept.withLock(\.self) }

  func orderDidChange(_ notice: OrderNotice) async -> NoticeOutcome {
    kept.withLock { $0.append(notice) }
    guard let registration = notice.registration else { return .notSent }
    return registration.hasPrefix("gone") ? .unregistered : .sent(messageID: "0:\(notice.order)")
  }
}
