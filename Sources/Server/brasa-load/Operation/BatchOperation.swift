/// Commits several products at once.
struct BatchOperation: Operation {
  typealias Batch = [(id: String, product: Product)]

  private let makeBatch: @Sendable (inout RandomSource) -> Batch?
  private let request: @Sendable (Batch) -> [UInt8]
  private var size: Int

  /// `batch` gives the next products, or nil at the end.
  init(
    size: Int,
    batch: @escaping @Sendable (inout RandomSource) -> Batch?,
    request: @escaping @Sendable (Batch) -> [UInt8]
  ) {
    self.size = size
    makeBatch = batch
    self.request = request
  }

  mutating func begin(_ random: inout RandomSource) -> OutgoingCall? {
    guard let batch = makeBatch(&random) else { return nil }
    size = batch.count
    return OutgoingCall(method: .commit, message: request(batch))
  }

  mutating func receive(_ answer: Answer, _ random: inout RandomSource) -> OperationStep {
    answer.status == 0 ? .finished(documents: size) : .failed(answer.errorName)
  }
}
