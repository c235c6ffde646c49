import Authentication
import Logging

/// Letters on their way: taken at once, delivered in the background, tried again a few times.
///
/// At most `capacity` letters wait; what comes on top is refused. Letters live in memory: their codes
/// end within the hour, so a restart costs a person one more click. The log has the recipient's domain
/// and the reason of a failure, never the letter.
package final class MailQueue: Mailer {
  private let transport: SMTPTransport
  private let stream: AsyncStream<Mail>
  private let input: AsyncStream<Mail>.Continuation
  private let log: Logger
  private let delays: [Duration]

  /// A queue in front of that transport; `run` delivers.
  package init(
    transport: SMTPTransport,
    capacity: Int = 1_000,
    delays: [Duration] = [.seconds(5), .seconds(60), .seconds(600)],
    log: Logger
  ) {
    self.transport = transport
    self.delays = delays
    self.log = log
    (stream, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
  }

  package func post(_ mail: Mail) throws {
    guard MailAddress(mail.recipient) != nil, MailText.isOneLine(mail.subject) else {
      throw OutboundError(.refused, "the letter's address or subject is no plain line")
    }
    switch input.yield(mail) {
    case .enqueued: return
    case .dropped: throw OutboundError(.overloaded, "too many letters wait already")
    case .terminated: throw OutboundError(.overloaded, "the server is stopping")
    @unknown default: throw OutboundError(.overloaded, "the letter could not be taken")
    }
  }

  /// Delivers letters until the task is cancelled, some at a time.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      for await mail in stream {
        if running >= 8 {
          await group.next()
          running -= 1
        }
        running += 1
        group.addTask { await self.deliver(mail) }
      }
      group.cancelAll()
    }
  }

  /// Takes no more letters; `run` returns once those that wait are delivered or given up.
  package func finish() { input.finish() }

  private func deliver(_ mail: Mail) async {
    let domain = mail.recipient.split(separator: "@").last ?? ""
    for delay in delays + [.zero] {
      do {
        return try await transport.deliver(mail)
      } catch {
        log.warning(
          "a letter could not be delivered",
          metadata: ["domain": "\(domain)", "error": "\(error)", "retry": "\(delay)"]
        )
        if delay == .zero || isFinal(error) { return }
        do { try await Task.sleep(for: delay) } catch { return }
      }
    }
  }

  private func isFinal(_ error: any Error) -> Bool {
    (error as? OutboundError)?.code == .refused
  }
}
