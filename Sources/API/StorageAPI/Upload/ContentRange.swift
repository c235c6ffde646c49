import ObjectStorage

/// What a chunk says of itself: `bytes 0-9/20`, `bytes 0-9/*`, `bytes */20`, `bytes */*`.
struct ContentRange: Sendable, Equatable {
  /// The chunk's bytes; nil asks how far the upload is, or ends it.
  let bytes: ClosedRange<Int64>?
  /// The size of the whole; nil where the client does not know it yet.
  let total: Int64?

  /// Reads a header; throws for what is none.
  init(_ text: String) throws(StorageError) {
    guard text.hasPrefix("bytes ") else { throw Self.invalid }
    let halves = text.dropFirst(6).split(
      separator: "/",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard halves.count == 2 else { throw Self.invalid }
    total = halves[1] == "*" ? nil : try Self.number(halves[1])
    guard halves[0] != "*" else {
      bytes = nil
      return
    }
    let ends = halves[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { throw Self.invalid }
    let (first, last) = (try Self.number(ends[0]), try Self.number(ends[1]))
    guard first <= last, last < total ?? .max else { throw Self.invalid }
    bytes = first...last
  }

  private static let invalid = StorageError(.invalid, "Failed to parse Content-Range header.")

  private static func number(_ text: Substring) throws(StorageError) -> Int64 {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
      throw invalid
    }
    return number
  }

  /// Whether the upload is complete after the chunk.
  var isLast: Bool {
    guard let total else { return false }
    return bytes.map { $0.upperBound + 1 == total } ?? false
  }
}
