/// The bytes of one generation, to be read as the client takes them.
package struct ObjectContent: Sendable {
  /// What one read takes at most.
  package static let partBytes = 256 << 10

  static let endsTooEarly = StorageError(.corrupt, "The bytes of an object end too early.")

  private let reader: any BlobReader
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

  /// Parts of a range, in their order.
  package struct Parts: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = any Error

    fileprivate let content: ObjectContent
    fileprivate let range: Range<Int64>

    package func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(content: content, position: range.lowerBound, end: range.upperBound)
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let content: ObjectContent
      fileprivate var position: Int64
      fileprivate let end: Int64

      package mutating func next() async throws -> [UInt8]? {
        let part = try await content.part(from: position, upTo: end)
        position += Int64(part.count)
        return part.isEmpty ? nil : part
      }
    }
  }
}
