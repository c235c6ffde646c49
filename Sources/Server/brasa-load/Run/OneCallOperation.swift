import Synchronization

/// Holds the response to one call, written by the connection and read when it has ended.
final class AnswerBox: Sendable {
  private let state = Mutex<Answer?>(nil)

  var answer: Answer? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// Makes one call and keeps its response.
struct OneCallOperation: Operation {
  private var call: OutgoingCall?
  private let answer: AnswerBox

  init(call: OutgoingCall, answer: AnswerBox) {
    self.call = call
    self.answer = answer
  }

  mutating func begin(_ random: inout RandomSource) -> OutgoingCall? {
    defer { call = nil }
    return call
  }

  mutating func receive(_ answer: Answer, _ random: inout RandomSource) -> OperationStep {
    self.answer.answer = answer
    return .finished(documents: 0)
  }
}
