import ObjectStorage
import ServiceModule
import StorageWire

/// A body of multipart/related whose first part is metadata and whose second is content.
struct RelatedBody {
  /// The body is not of two parts.
  struct Malformed: Error {}

  private var events: MultipartEvents

  init(_ reader: MultipartReader, _ body: ServiceBody) { events = MultipartEvents(reader, body) }

  /// The whole first part.
  mutating func metadata(upTo limit: Int) async throws -> [UInt8] {
    guard case .part? = try await events.next() else { throw Malformed() }
    var bytes: [UInt8] = []
    while let event = try await events.next() {
      switch event {
      case .content(let part):
        guard bytes.count + part.count <= limit else { throw MultipartReader.Problem.headTooLarge }
        bytes += part
      case .partEnd: return bytes
      case .part, .end: throw Malformed()
      }
    }
    throw Malformed()
  }

  /// The type of the second part, which begins with that; nil where it has none.
  mutating func contentType() async throws -> String? {
    guard case .part(let headers)? = try await events.next() else { throw Malformed() }
    return headers["content-type"]
  }

  /// The size of the second part, which has begun, if the delimiter after it is all that follows.
  func probableContentSize(ofBody length: Int64) -> Int64 {
    events.probableContentSize(ofBody: length)
  }

  /// The next bytes of the second part; nil at its end, where the body has to end too.
  mutating func content() async throws -> [UInt8]? {
    switch try await events.next() {
    case .content(let part)?: return part
    case .partEnd?:
      guard case .end? = try await events.next() else { throw Malformed() }
      while try await events.next() != nil {}
      try events.finish()
      return nil
    case .part?, .end?, nil: throw Malformed()
    }
  }
}

extension Bucket {
  /// Stores an object whose bytes are the second part of a body, which has begun.
  func upload(_ new: NewObject, from body: inout RelatedBody) async throws -> StoredObject {
    let upload = try await beginUpload(new)
    do {
      while let part = try await body.content() { try await upload.write(part) }
      return try await upload.finish()
    } catch {
      await upload.cancel()
      throw error
    }
  }
}
