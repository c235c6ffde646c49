#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The number of threads in each of the engine's thread pools.
///
/// The rule for reads is twice as many as there are cores, since most of their time is waiting for
/// the disk, at least 4 and at most 64. Scans have as many as there are cores, at least 2 and at
/// most 32; maintenance has one. Files mostly wait for a sync and have four times as many as there
/// are cores, at least 8 and at most 64. The intake has as many as there are cores, at most 32.
package struct ThreadCounts: Sendable, Hashable {
  /// Threads for point reads, commits and first slices of queries.
  package let reads: Int
  /// Threads for the slices of long scans, aggregations and searches.
  package let scans: Int
  /// Threads for administration and clean-up, which leave the processor to others.
  package let maintenance: Int
  /// Threads that read, write and sync the bytes of files.
  package let files: Int
  /// Threads for events and other bulk input, which leave the processor to others.
  package let intake: Int

  /// The counts that the rule gives for so many cores.
  package init(cores: Int) {
    reads = min(max(2 * cores, 4), 64)
    scans = min(max(cores, 2), 32)
    maintenance = 1
    files = min(max(4 * cores, 8), 64)
    intake = min(max(cores, 1), 32)
  }

  /// So many threads for reads, half as many for scans, one for maintenance, twice as many for files, one for the intake.
  package init(reads: Int) {
    self.reads = max(reads, 1)
    scans = max(reads / 2, 1)
    maintenance = 1
    files = max(2 * reads, 1)
    intake = 1
  }

  /// The number of cores that the process may use: those of its affinity, and no more than its control group's quota.
  package static var cores: Int {
    let online = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    return ProcessorLimits.current.cores(of: online)
  }
}
