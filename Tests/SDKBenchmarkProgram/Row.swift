/// A row of the benchmark, measured in a process of its own.
enum Row: String, CaseIterable {
  case firstSnapshot
  case cachedSnapshot
  /// Fills the cache that the rows behind it use; not reported.
  case fill
  case scan
  case makeIndex
  case index
  case start
  case localWrite
  case queuedWrites
  case otherClient
  case memory
}
