import Authentication
import FirestoreModel
import Logging
import Synchronization

/// Development's mailbox: no letter leaves, a route and the log show them.
///
/// The newest thousand letters of every project are kept, in memory.
package final class Mailbox: Mailer {
  private let letters = Mutex<[Text: [OutgoingCode]]>([:])
  private let log: Logger

  /// An empty mailbox.
  package init(log: Logger) { self.log = log }

  /// Takes the letter and forgets it: what it carries was noted already.
  package func post(_ mail: Mail) {}

  /// Keeps a code and shows its link.
  func note(_ letter: OutgoingCode, project: Text) {
    letters.withLock { $0[project, default: []] = $0[project, default: []].suffix(999) + [letter] }
    log.notice(
      "a letter that was not sent",
      metadata: [
        "type": "\(letter.purpose.rawValue)", "to": "\(letter.recipient)", "link": "\(letter.link)",
      ]
    )
  }

  /// A project's letters, the oldest first.
  func letters(of project: Text) -> [OutgoingCode] { letters.withLock { $0[project] ?? [] } }

  /// Forgets a project's letters.
  func clear(_ project: Text) { letters.withLock { $0[project] = nil } }
}
