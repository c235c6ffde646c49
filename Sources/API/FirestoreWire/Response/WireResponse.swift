import BaseText
import DocumentCodec
import FirestoreModel

/// A response that can be written as the bytes of its protobuf message.
///
/// Documents' fields are copied through, never decoded. Fields without presence are left out when
/// they have their default, as protobuf's encoders do.
package protocol WireResponse: Sendable {
  /// Writes the message's fields.
  func write(to writer: inout ProtobufWriter)
  /// About how many bytes the message takes.
  var estimatedSize: Int { get }
}

extension WireResponse {
  /// Enough for a message without documents or lists.
  package var estimatedSize: Int { 64 }

  /// The message's bytes.
  package func encoded() -> [UInt8] {
    var writer = ProtobufWriter(capacity: estimatedSize)
    write(to: &writer)
    return writer.bytes
  }
}

/// `google.protobuf.Empty`: Delete and Rollback are answered with it.
package struct EmptyResponse: WireResponse {
  /// Nothing to say.
  package init() {}

  /// Writes nothing, as the message has no fields.
  package func write(to writer: inout ProtobufWriter) {}
}

extension ProtobufWriter {
  /// Writes a string field unless it is empty.
  mutating func nonEmpty(_ field: Int, _ text: String) {
    if !text.isEmpty { string(field, text) }
  }

  /// Writes a bytes field unless it is empty or nil.
  mutating func nonEmpty(_ field: Int, _ bytes: [UInt8]?) {
    if let bytes, !bytes.isEmpty { content(field, bytes) }
  }

  /// Writes a commit's time unless there is none.
  mutating func version(_ field: Int, _ version: CommitVersion?) {
    if let version { timestamp(field, version.timestamp) }
  }

  /// Writes the resource name of a document.
  mutating func name(_ field: Int, _ name: DocumentName) {
    message(field) { writer in
      // A string and a message are written alike: a tag, a length and the bytes.
      writer.append(literal: "projects/")
      writer.append(text: name.database.project)
      writer.append(literal: "/databases/")
      writer.append(text: name.database.database)
      writer.append(literal: "/documents")
      for segment in name.path.segments {
        writer.append(literal: "/")
        writer.append(text: segment)
      }
    }
  }

  private mutating func append(literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  private mutating func append(text: Text) { text.withBytes { append($0) } }

  /// Writes the fields of a `Document`.
  mutating func documentFields(_ record: DocumentRecord, mask: [FieldPath]?) {
    name(1, record.name)
    append(mask.map { record.fields.projected(to: $0) }?.bytes ?? record.fields.bytes)
    timestamp(3, record.createTime.timestamp)
    timestamp(4, record.updateTime.timestamp)
  }
}
