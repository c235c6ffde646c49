/// The measurements of a load on files, or of one connection of it.
struct FileMeasurement: Sendable {
  private(set) var latencies = LatencyHistogram()
  private(set) var objects = 0
  private(set) var bytes: Int64 = 0
  /// Objects of all rounds that were answered, measured or not.
  private(set) var acknowledged = 0
  private(set) var errors: [String: Int] = [:]

  /// Counts a round that took so many nanoseconds.
  mutating func add(_ duration: Int64, objects: Int, bytes: Int64) {
    latencies.add(duration)
    self.objects += objects
    self.bytes += bytes
  }

  /// Counts objects that the server says it has done.
  mutating func acknowledge(_ objects: Int) { acknowledged += objects }

  /// Counts a failed round.
  mutating func add(error: String) { errors[error, default: 0] += 1 }

  /// Adds what another connection measured.
  mutating func merge(_ other: FileMeasurement) {
    latencies.merge(other.latencies)
    objects += other.objects
    bytes += other.bytes
    acknowledged += other.acknowledged
    errors.merge(other.errors, uniquingKeysWith: +)
  }

  /// All failed rounds.
  var errorCount: Int { errors.values.reduce(0, +) }
}
