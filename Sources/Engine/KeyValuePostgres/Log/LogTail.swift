import BaseRuntime
import KeyValueStore

/// Follows the log of groups: answers whether memory is current, and learns what others wrote soon after they did.
///
/// One thread asks the store for the head of the log, once for all who wait at the time. Any thread may call.
final class LogTail: Sendable {
  /// A call that waits; nil only wants the log to be followed.
  private typealias Question = (@Sendable (Result<Void, any Error>) -> Void)?

  private let questions: BlockingQueue<Question>
  private let thread: StoreThread

  /// Follows the log; `learn` returns when observers have heard of its head.
  init(learn: @escaping @Sendable () throws -> Void) {
    let questions = BlockingQueue<Question>()
    self.questions = questions
    thread = StoreThread { Self.answer(questions, learn) }
  }

  /// Calls back when observers have heard of all that is durable now.
  func ask(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    guard !questions.put(body) else { return }
    body(.failure(KeyValueError(.closed, "the storage engine was closed")))
  }

  /// Others may have written: their groups are learned soon.
  func follow() { _ = questions.put(nil) }

  /// Answers what waits and ends; once.
  func close() {
    questions.close()
    thread.join()
  }

  private static func answer(
    _ questions: BlockingQueue<Question>,
    _ learn: @Sendable () throws -> Void
  ) {
    while let waiting = questions.take() {
      let answer = Result { try learn() }
      Handover.during { handover in
        for question in waiting {
          question?(answer)
          handover.deliverIfDue()
        }
      }
    }
  }
}
