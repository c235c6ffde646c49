import ObjectStorage

/// The bytes that a header `range` asks for, of content of a given size.
package enum ByteRange: Sendable, Equatable {
  /// All: there is no range, or one that is to be passed over.
  case whole
  case part(Range<Int64>)

  /// Reads a header; throws where nothing of the content is in the range.
  ///
  /// Several ranges at once, other units and malformed ones ask for everything, as HTTP allows.
  package init(_ header: String?, size: Int64) throws(StorageError) {
    self = .whole
    guard let header, header.lowercased().hasPrefix("bytes=") else { return }
    let ends = header.dropFirst(6).split(
      separator: "-",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard ends.count == 2, !header.contains(",") else { return }
    let (low, high) = (Self.number(ends[0]), Self.number(ends[1]))
    switch (ends[0].isEmpty, low, ends[1].isEmpty, high) {
    case (true, _, false, let count?):
      guard count > 0, size > 0 else { throw Self.unsatisfiable }
      self = .part(max(size - count, 0)..<size)
    case (false, let first?, true, _):
      guard first < size else { throw Self.unsatisfiable }
      self = .part(first..<size)
    case (false, let first?, false, let last?) where first <= last:
      guard first < size else { throw Self.unsatisfiable }
      self = .part(first..<min(last, size - 1) + 1)
    default: return
    }
  }

  private static let unsatisfiable = StorageError(
    .rangeNotSatisfiable,
    "The requested range cannot be satisfied."
  )

  /// Digits alone; a number that is too large is as large as can be.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text) ?? .max - 1
  }
}
