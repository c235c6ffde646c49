import ObjectStorage

/// The place of a request's bytes in a resumable upload, as its header `Content-Range` says.
///
///     bytes 0-9/20, bytes 0-9/*     a chunk: these bytes, of a whole of that or of an unknown size
///     bytes 0-*/20, bytes 0-*/*     all bytes from there on: the upload ends where the body does
///     bytes */20, bytes */*         no bytes: the client asks how far the upload is, or ends it
struct ContentRange: Sendable, Equatable {
  /// The bytes that a request brings.
  enum Bytes: Sendable, Equatable {
    case none
    case chunk(ClosedRange<Int64>)
    /// From this byte to the end of the body, which is the end of the upload.
    case rest(from: Int64)
  }

  let bytes: Bytes
  /// The size of the whole; nil where the client does not know it yet.
  let total: Int64?

  /// Reads a header; throws for a malformed one.
  init(_ text: String) throws(StorageError) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { throw Self.invalid }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { throw Self.invalid }
    total = halves[1] == "*" ? nil : try Self.number(halves[1])
    bytes = try Self.bytes(halves[0], before: total ?? .max)
  }

  private static func bytes(_ text: Substring, before end: Int64) throws(StorageError) -> Bytes {
    guard text != "*" else { return .none }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { throw invalid }
    let first = try number(ends[0])
    guard ends[1] != "*" else {
      guard first <= end else { throw invalid }
      return .rest(from: first)
    }
    let last = try number(ends[1])
    guard first <= last, last < end else { throw invalid }
    return .chunk(first...last)
  }

  private static let invalid = StorageError(.invalid, "Failed to parse Content-Range header.")

  private static func number(_ text: Substring) throws(StorageError) -> Int64 {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
      throw invalid
    }
    return number
  }

  /// True if the upload is complete after the request.
  var isLast: Bool {
    switch bytes {
    case .none: false
    case .chunk(let chunk): total.map { chunk.upperBound + 1 == $0 } ?? false
    case .rest: true
    }
  }
}
