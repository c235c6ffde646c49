#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// How many threads each lane of the engine threads has.
///
/// The rule: twice as many for reads as there are cores, since most of their time is waiting for the disk, at
/// least 4 and at most 64; as many for scans as there are cores, at least 2 and at most 32; one for
/// maintenance.
package struct ThreadCounts: Sendable, Hashable {
  package let reads: Int
  package let scans: Int
  package let maintenance: Int

  /// The counts that the rule gives for so many cores.
  package init(cores: Int) {
    reads = min(max(2 * cores, 4), 64)
    scans = min(max(cores, 2), 32)
    maintenance = 1
  }

  /// So many threads for reads, half as many for scans, one for maintenance.
  package init(reads: Int) {
    self.reads = max(reads, 1)
    scans = max(reads / 2, 1)
    maintenance = 1
  }

  /// The number of cores that the process may run on.
  package static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
