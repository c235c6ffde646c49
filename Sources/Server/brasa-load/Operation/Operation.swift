/// The work that a slot repeats: one call or a few that depend on each other.
///
/// Each slot has a value of its own, which keeps the state that the next call needs.
protocol Operation: Sendable {
  /// The first call of one more round; nil when there is nothing left to do.
  mutating func begin(_ random: inout RandomSource) -> OutgoingCall?
  /// Takes the response to the last call, and returns the next step.
  mutating func receive(_ answer: Answer, _ random: inout RandomSource) -> OperationStep
}

/// The next step after a response.
enum OperationStep {
  /// The round continues with this call.
  case call(OutgoingCall)
  /// The round succeeded and wrote or returned that many documents.
  case finished(documents: Int)
  /// The round failed; the name says how.
  case failed(String)
}

/// Rounds of one call each, whose success is the response's status.
struct SingleCallOperation: Operation {
  private let makeCall: @Sendable (inout RandomSource) -> OutgoingCall?
  private let documents: @Sendable (Answer) -> Int

  /// `documents` says how many documents a successful response is about.
  init(
    documents: @escaping @Sendable (Answer) -> Int = { _ in 1 },
    call: @escaping @Sendable (inout RandomSource) -> OutgoingCall?
  ) {
    makeCall = call
    self.documents = documents
  }

  mutating func begin(_ random: inout RandomSource) -> OutgoingCall? { makeCall(&random) }

  mutating func receive(_ answer: Answer, _ random: inout RandomSource) -> OperationStep {
    guard answer.status == 0 else { return .failed(answer.errorName) }
    return .finished(documents: documents(answer))
  }
}
