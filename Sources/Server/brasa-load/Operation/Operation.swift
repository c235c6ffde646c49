/// What a slot does again and again: one call or a few that depend on each other.
///
/// A value of its own a slot; it keeps what the next call needs.
protocol Operation: Sendable {
  /// The first call of one more round; nil when there is nothing left to do.
  mutating func begin(_ random: inout RandomSource) -> OutgoingCall?
  /// What follows the answer to the last call.
  mutating func receive(_ answer: Answer, _ random: inout RandomSource) -> OperationStep
}

/// What follows an answer.
enum OperationStep {
  /// The round goes on with this call.
  case call(OutgoingCall)
  /// The round succeeded and wrote or returned that many documents.
  case finished(documents: Int)
  /// The round failed; the name says how.
  case failed(String)
}

/// Rounds of one call each, whose success is the answer's status.
struct SingleCallOperation: Operation {
  private let makeCall: @Sendable (inout RandomSource) -> OutgoingCall?
  private let documents: @Sendable (Answer) -> Int

  /// `documents` says how many documents a successful answer is about.
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
