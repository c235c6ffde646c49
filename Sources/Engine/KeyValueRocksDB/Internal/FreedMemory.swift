import CRocksDB

/// Memory that was freed but that the C library keeps for itself.
///
/// After many writes in flight at once that can be more than everything in use: blocks of all sizes,
/// freed by other threads than made them, leave holes in every thread's arena.
package enum FreedMemory {
  /// Gives it back to the system if it is more than that; takes milliseconds then.
  package static func giveBack(over bytes: Int) {
    #if canImport(Glibc)
    guard mallinfo2().fordblks > bytes else { return }
    malloc_trim(0)
    #endif
  }
}
