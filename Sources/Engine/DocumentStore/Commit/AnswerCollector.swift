import FirestoreModel
import Synchronization

/// Collects the responses of a batch of writes and hands them over when the last one is there.
final class AnswerCollector: Sendable {
  typealias Answer = Result<WriteResult, any Error>

  private struct State {
    var answers: [Answer?]
    var missing: Int
  }

  private let state: Mutex<State>
  private let completion: @Sendable ([Answer]) -> Void

  /// Without answers to wait for, completes at once.
  init(count: Int, completion: @escaping @Sendable ([Answer]) -> Void) {
    state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count))
    self.completion = completion
    if count == 0 { completion([]) }
  }

  /// Takes one response; each index gets one.
  func set(_ answer: Answer, at index: Int) {
    let complete = state.withLock { state -> [Answer]? in
      state.answers[index] = answer
      state.missing -= 1
      return state.missing == 0 ? state.answers.compactMap(\.self) : nil
    }
    if let complete { completion(complete) }
  }
}
