import CRocksDB

/// Memory that was freed but that the C library keeps for itself.
///
/// After many writes in flight at once that can be more than everything in use: blocks of all sizes,
/// freed by other threads than made them, leave holes in every thread's arena.
package enum FreedMemory {
  /// Bytes that a thread's arena may keep at its end, where `malloc_trim` never looks.
  private static let arenaBytes: CInt = 2 << 20
  /// From this size on a block is a mapping of its own, which goes back when it is freed.
  private static let mappingBytes: CInt = 4 << 20

  /// Bounds what arenas keep; to be called before the threads start.
  ///
  /// Left alone, the C library raises both bounds to twice the largest block that it saw freed, so that
  /// after a few large requests every arena keeps up to 64 MB for good.
  package static func boundArenas() {
    #if canImport(Glibc)
    mallopt(M_TRIM_THRESHOLD, arenaBytes)
    mallopt(M_MMAP_THRESHOLD, mappingBytes)
    #endif
  }

  /// Gives it back to the system if it is more than that; takes milliseconds then.
  package static func giveBack(over bytes: Int) {
    #if canImport(Glibc)
    guard mallinfo2().fordblks > bytes else { return }
    malloc_trim(0)
    #endif
  }
}
