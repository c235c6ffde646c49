import Authentication
import Logging
import Synchronization
import Testing

@testable import Outbound

/// Messages for a mail server that is not there.
struct MailQueueTests {
  private let log = Lines()

  /// Port 1 of this machine takes no connections.
  private func queue(delays: [Duration], capacity: Int = 1_000) throws -> MailQueue {
    let configuration = try SMTPConfiguration(
      host: "127.0.0.1",
      port: 1,
      encryption: .none,
      login: nil,
      sender: "no-reply@shop.example",
      senderName: "Shop"
    )
    let log = log
    return MailQueue(
      transport: try SMTPTransport(configuration),
      capacity: capacity,
      delays: delays,
      log: Logger(label: "mail") { _ in log }
    )
  }

  private func mail(to recipient: String = "ana@customer.example") -> Mail {
    Mail(recipient: recipient, subject: "Hello", text: "code-of-the-message", html: "")
  }

  @Test func `attempts are bounded, and what is given up is in the log`() async throws {
    let queue = try queue(delays: [.milliseconds(1), .milliseconds(1)])
    try queue.post(mail())
    queue.finish()
    await queue.run()
    #expect(log.count("an email was not delivered and will be retried") == 2)
    #expect(log.count("an email was not delivered and will not be retried") == 1)
    #expect(log.text.contains("customer.example") && log.text.contains("attempts=3"))
    #expect(!log.text.contains("ana@") && !log.text.contains("code-of-the-message"))
  }

  @Test func `a stop tries every message once more and loses none silently`() async throws {
    let queue = try queue(delays: [.seconds(3_600)])
    for number in 0..<30 { try queue.post(mail(to: "n\(number)@customer.example")) }
    let running = Task { await queue.run() }
    while !Task.isCancelled, log.count("an email was not delivered and will be retried") < 30 {
      await Task.yield()
    }
    running.cancel()
    await running.value
    #expect(log.count("an email was not delivered and will not be retried") == 30)
    #expect(throws: OutboundError.self) { try queue.post(mail()) }
  }

  @Test func `messages that wait do not hold up others, and are bounded`() async throws {
    let queue = try queue(delays: [.seconds(3_600)], capacity: 20)
    let running = Task { await queue.run() }
    for number in 0..<20 { try queue.post(mail(to: "n\(number)@customer.example")) }
    // More than are tried at a time: each had its first attempt.
    while !Task.isCancelled, log.count("an email was not delivered and will be retried") < 20 {
      await Task.yield()
    }
    #expect(throws: AccountError.self) { try queue.post(mail()) }
    running.cancel()
    await running.value
  }

  @Test(arguments: ["ana", "a@b@c", "ana <a@b>", "a\r\nRCPT TO:<x@y>@b", "[a]@b"])
  func `an address that is none is refused by name`(recipient: String) throws {
    let queue = try queue(delays: [])
    do {
      try queue.post(mail(to: recipient))
      Issue.record("taken")
    } catch let error as AccountError {
      #expect(error.code.rawValue == "INVALID_RECIPIENT_EMAIL")
    }
  }
}

/// The lines that were logged.
final class Lines: LogHandler, Sendable {
  private let lines = Mutex<[String]>([])

  var text: String { lines.withLock { $0.joined(separator: "\n") } }

  func count(_ event: String) -> Int { lines.withLock { $0.count { $0.contains(event) } } }

  func log(event: LogEvent) {
    let more = event.metadata?.map { "\($0.key)=\($0.value)" }.joined(separator: " ") ?? ""
    lines.withLock { $0.append("\(event.level) \(event.message) \(more)") }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
}
