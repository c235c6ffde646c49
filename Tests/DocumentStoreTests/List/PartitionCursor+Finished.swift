@testable import DocumentStore

extension PartitionCursor {
  /// The page, after as many slices as it takes.
  func finished(slice: Int = QueryCursor.longSlice) throws -> Partitioning {
    while true {
      if let page = try next(slice: slice) { return page }
    }
  }
}
