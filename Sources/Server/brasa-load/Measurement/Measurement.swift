/// The measurements of a run, or of one connection of it.
struct Measurement: Sendable {
  private(set) var latencies = LatencyHistogram()
  /// Documents written or returned by the measured operations.
  private(set) var documents = 0
  /// Operations that each slot finished while measuring.
  private(set) var finishedBySlot: [Int]
  /// Documents of all operations that were answered, measured or not.
  var acknowledgedDocuments = 0
  /// Calls that were repeated because transactions conflicted.
  var retries = 0
  private(set) var errors: [String: Int] = [:]

  init(slots: Int) { finishedBySlot = [Int](repeating: 0, count: slots) }

  /// Counts a finished operation, which took so many nanoseconds.
  mutating func add(_ duration: Int64, documents: Int, slot: Int) {
    latencies.add(duration)
    self.documents += documents
    finishedBySlot[slot] += 1
  }

  /// Counts a failed operation.
  mutating func add(error: String) { errors[error, default: 0] += 1 }

  /// Adds what another connection measured.
  mutating func merge(_ other: Measurement) {
    latencies.merge(other.latencies)
    documents += other.documents
    finishedBySlot += other.finishedBySlot
    acknowledgedDocuments += other.acknowledgedDocuments
    retries += other.retries
    errors.merge(other.errors, uniquingKeysWith: +)
  }

  /// All failed operations.
  var errorCount: Int { errors.values.reduce(0, +) }
}
