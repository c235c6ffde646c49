/// Adds one to a counter by reading and writing it in a transaction, retried until it commits.
///
/// A retry names the attempt that was aborted, as Google's clients do, and keeps its turn in the
/// queue of those who want the document.
struct TransactionOperation: Operation {
  private enum Phase {
    case reading
    case committing
  }

  private let target: LoadTarget
  private let name: String
  private var phase = Phase.reading
  private var transaction: [UInt8] = []

  init(target: LoadTarget, document: String) {
    self.target = target
    name = target.name(document)
  }

  mutating func begin(_ random: inout RandomSource) -> OutgoingCall? {
    transaction = []
    return read()
  }

  mutating func receive(_ answer: Answer, _ random: inout RandomSource) -> OperationStep {
    if answer.status == Answer.aborted { return .call(read()) }
    guard answer.status == 0 else { return .failed(answer.errorName) }
    switch phase {
    case .reading:
      var value: Int64 = 0
      for message in answer.messages {
        if let token = ResponseMessages.content([3], in: message) { transaction = token }
        value = ResponseMessages.integer([1, 2, 2], in: message) ?? value
      }
      phase = .committing
      let request = RequestMessages.setCounter(
        name,
        to: value + 1,
        transaction: transaction,
        in: target
      )
      return .call(OutgoingCall(method: .commit, message: request))
    case .committing:
      return .finished(documents: 1)
    }
  }

  private mutating func read() -> OutgoingCall {
    phase = .reading
    let request = RequestMessages.read(name, retrying: transaction, in: target)
    return OutgoingCall(method: .batchGetDocuments, message: request)
  }
}
