/// The bytes of one generation, to be read as the client takes them.
package struct ObjectContent: Sendable {
  /// What one read takes at most.
  package static let partBytes = 256 << 10

  private let reader: any BlobReader
  package let object: StoredObject

  init(_ reader: any BlobReader, _ object: StoredObject) {
    self.reader = reader
    self.object = object
  }

  /// The bytes of a range, part by part.
  package func parts(_ range: Range<Int64>? = nil) -> Parts {
    Parts(reader: reader, range: range ?? 0..<object.size)
  }

  /// Parts of a range, in their order.
  package struct Parts: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = any Error

    fileprivate let reader: any BlobReader
    fileprivate let range: Range<Int64>

    package func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(reader: reader, position: range.lowerBound, end: range.upperBound)
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let reader: any BlobReader
      fileprivate var position: Int64
      fileprivate let end: Int64

      package mutating func next() async throws -> [UInt8]? {
        guard position < end else { return nil }
        let count = Int(Swift.min(end - position, Int64(ObjectContent.partBytes)))
        let bytes = try await reader.read(at: position, count: count)
        guard bytes.count == count else {
          throw StorageError(.corrupt, "The bytes of an object end too early.")
        }
        position += Int64(count)
        return bytes
      }
    }
  }
}
