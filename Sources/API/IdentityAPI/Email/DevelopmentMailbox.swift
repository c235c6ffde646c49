import Authentication
import BaseText
import Logging
import Synchronization

/// Development's mailbox: no email leaves, a route and the log show them.
///
/// The newest thousand emails of every project are kept, in memory.
package final class DevelopmentMailbox: Mailer {
  private let emails = Mutex<[Text: [OutgoingCode]]>([:])
  private let log: Logger

  /// An empty mailbox.
  package init(log: Logger) { self.log = log }

  /// Takes the message and forgets it: what it carries was noted already.
  package func post(_ mail: Mail) {}

  /// Keeps a code and shows its link.
  func note(_ message: OutgoingCode, project: Text) {
    emails.withLock { $0[project, default: []] = $0[project, default: []].suffix(999) + [message] }
    log.notice(
      "an email was logged instead of sent",
      metadata: [
        "type": "\(message.purpose.rawValue)", "to": "\(message.recipient)",
        "link": "\(message.link)",
      ]
    )
  }

  /// A project's emails, the oldest first.
  func emails(of project: Text) -> [OutgoingCode] { emails.withLock { $0[project] ?? [] } }

  /// Forgets a project's emails.
  func clear(_ project: Text) { emails.withLock { $0[project] = nil } }
}
