import Checksums

/// The bytes of one generation, to be read as the client takes them.
package struct ObjectContent: Sendable {
  /// The most bytes that one read takes.
  package static let partBytes = 256 << 10

  /// The bytes that are read ahead at once for a sender of open files.
  private static let filePartBytes: Int64 = 1 << 20

  static let endsTooEarly = StorageError(.corrupt, "The bytes of an object end too early.")

  private let reader: any BlobReader
  /// The generation that the bytes belong to.
  package let object: StoredObject

  init(_ reader: any BlobReader, _ object: StoredObject) {
    self.reader = reader
    self.object = object
  }

  /// Hands on the bytes of a range, part by part: the next one is read while one is taken.
  package func forEachPart(
    _ range: Range<Int64>,
    _ take: ([UInt8]) async throws -> Void
  ) async throws {
    var position = range.lowerBound
    var part = try await part(from: position, upTo: range.upperBound)
    while !part.isEmpty {
      position += Int64(part.count)
      let end = position
      async let next = self.part(from: end, upTo: range.upperBound)
      try await take(part)
      part = try await next
    }
  }

  /// Hands on parts of the open file that has the bytes of a range: the next one is read ahead while one is taken.
  ///
  /// - Returns: True if there is such a file; nothing was handed on otherwise.
  package func forEachFilePart(
    _ range: Range<Int64>,
    _ take: (BlobFilePart) async throws -> Void
  ) async throws -> Bool {
    var part = try await filePart(from: range.lowerBound, upTo: range.upperBound)
    guard part != nil else { return false }
    while let current = part {
      async let next = filePart(from: current.range.upperBound, upTo: range.upperBound)
      try await take(current)
      part = try await next
    }
    return true
  }

  /// Nil at the end, and where the bytes are in no open file.
  private func filePart(from position: Int64, upTo end: Int64) async throws -> BlobFilePart? {
    guard position < end else { return nil }
    return try await reader.load(position..<min(end, position + Self.filePartBytes))
  }

  /// Empty at the end.
  private func part(from position: Int64, upTo end: Int64) async throws -> [UInt8] {
    let count = Int(min(end - position, Int64(Self.partBytes)))
    guard count > 0 else { return [] }
    let bytes = try await reader.read(at: position, count: count)
    guard bytes.count == count else { throw Self.endsTooEarly }
    return bytes
  }

  /// The bytes of a range, part by part.
  package func parts(_ range: Range<Int64>? = nil) -> Parts {
    Parts(content: self, range: range ?? 0..<object.size)
  }

  /// All bytes, part by part; ends with `corrupt` where they are others than those that were uploaded.
  package var checkedParts: CheckedParts { CheckedParts(content: self) }

  /// All parts, in their order, summed on the way.
  package struct CheckedParts: AsyncSequence, Sendable {
    /// Up to `partBytes` bytes.
    package typealias Element = [UInt8]
    /// `StorageError` with `corrupt` for bytes that are damaged or end too early, or an error of the blob store.
    package typealias Failure = any Error

    fileprivate let content: ObjectContent

    /// An iterator from the first byte, with a checksum of its own.
    package func makeAsyncIterator() -> AsyncIterator {
      let expected = content.object.hashes.crc32c
      return AsyncIterator(parts: content.parts().makeAsyncIterator(), expected: expected)
    }

    /// Reads part by part and compares the CRC-32C at the end.
    package struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var parts: Parts.AsyncIterator
      fileprivate let expected: UInt32
      private var checksum = CRC32C()

      fileprivate init(parts: Parts.AsyncIterator, expected: UInt32) {
        self.parts = parts
        self.expected = expected
      }

      /// Reads the next part; nil at the end if the checksum is right, else throws `corrupt`.
      package mutating func next() async throws -> [UInt8]? {
        guard let part = try await parts.next() else {
          guard checksum.value == expected else {
            throw StorageError(.corrupt, "The bytes of an object are damaged.")
          }
          return nil
        }
        checksum.update(part)
        return part
      }
    }
  }

  /// Parts of a range, in their order.
  package struct Parts: AsyncSequence, Sendable {
    /// Up to `partBytes` bytes.
    package typealias Element = [UInt8]
    /// `StorageError` with `corrupt` for bytes that end too early, or an error of the blob store.
    package typealias Failure = any Error

    fileprivate let content: ObjectContent
    fileprivate let range: Range<Int64>

    /// An iterator from the beginning of the range.
    package func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(content: content, position: range.lowerBound, end: range.upperBound)
    }

    /// Reads a part for each call, none ahead.
    package struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let content: ObjectContent
      fileprivate var position: Int64
      fileprivate let end: Int64

      /// Reads the next part; nil at the end of the range.
      package mutating func next() async throws -> [UInt8]? {
        let part = try await content.part(from: position, upTo: end)
        position += Int64(part.count)
        return part.isEmpty ? nil : part
      }
    }
  }
}
