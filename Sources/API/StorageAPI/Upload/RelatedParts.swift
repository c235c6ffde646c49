import ObjectStorage
import ServiceModule
import StorageWire

/// A body of two parts, metadata and content: the first is collected, the second read as it comes.
///
/// `metadata` and `contentType` are called first, in that order; then the sequence is the content. It can
/// be read once.
package struct RelatedParts: AsyncSequence, Sendable {
  package typealias Element = [UInt8]
  package typealias Failure = any Error

  private let source: Source

  /// The parts of a body with that `content-type`; throws for other types.
  package init(contentType: String, _ body: ServiceBody) throws(StorageError) {
    do {
      source = Source(try MultipartReader(contentType: contentType), body)
    } catch {
      throw Self.malformed
    }
  }

  fileprivate static let malformed = StorageError(.invalid, "Malformed multipart body.")

  /// The first part.
  package mutating func metadata(upTo limit: Int) async throws -> [UInt8] {
    guard case .part = try await source.next() else { throw Self.malformed }
    var bytes: [UInt8] = []
    while let event = try await source.next() {
      switch event {
      case .content(let part):
        bytes += part
        guard bytes.count <= limit else { throw ServiceBody.TooLarge() }
      case .partEnd: return bytes
      default: throw Self.malformed
      }
    }
    throw Self.malformed
  }

  /// What the second part says of its content; nil where that is nothing.
  package mutating func contentType() async throws -> String? {
    guard case .part(let headers)? = try await source.next() else { throw Self.malformed }
    return headers["content-type"]
  }

  /// The events of a body, in their order.
  private actor Source {
    private var reader: MultipartReader
    private var body: ServiceBody.AsyncIterator?
    private var events: ArraySlice<MultipartReader.Event> = []

    init(_ reader: MultipartReader, _ body: ServiceBody) {
      self.reader = reader
      self.body = body.makeAsyncIterator()
    }

    func next() async throws -> MultipartReader.Event? {
      while events.isEmpty {
        guard var iterator = body else { return nil }
        let part = try await iterator.next(isolation: self)
        body = part == nil ? nil : iterator
        do {
          if let part { events = try reader.read(part)[...] } else { try reader.finish() }
        } catch {
          throw RelatedParts.malformed
        }
      }
      return events.popFirst()
    }
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let read: @Sendable () async throws -> [UInt8]?

    package mutating func next() async throws -> [UInt8]? { try await read() }
  }

  package func makeAsyncIterator() -> AsyncIterator {
    let source = source
    return AsyncIterator {
      switch try await source.next() {
      case .content(let bytes)?: return bytes
      case .partEnd?:
        // There is nothing behind the content, and the body ends as it should.
        guard case .end? = try await source.next(), try await source.next() == nil else {
          throw Self.malformed
        }
        return nil
      case nil: return nil
      default: throw Self.malformed
      }
    }
  }
}
