import BaseText
import DocumentCodec
import FirestoreModel

// Shared code of the codecs for the cache's messages. Messages are protobuf: what a later version
// adds an earlier one skips.

/// Calls the body for every field of a message; unread fields are skipped.
func forEachField(
  _ message: UnsafeRawBufferPointer,
  _ body: (Int, inout ProtobufReader) throws -> Bool
) throws {
  var reader = ProtobufReader(message)
  while let field = try reader.nextField() {
    if try !body(field, &reader) { try reader.skip() }
  }
}

extension ProtobufReader {
  /// Reads a field path as `SegmentEncoding` has it.
  mutating func fieldPath() throws -> FieldPath {
    let bytes = try content()
    var position = 0
    guard let path = SegmentEncoding.decodePath(bytes, at: &position) else {
      throw CacheError.damaged("a field's path")
    }
    return FieldPath(path.segments)
  }

  /// Reads a resource path.
  mutating func path() throws -> ResourcePath {
    guard let path = ResourcePath(encoded: try content()) else {
      throw CacheError.damaged("a document's path")
    }
    return path
  }

  /// Reads a `google.firestore.v1.Value`.
  mutating func value() throws -> Value { try DocumentCodec.operand(try content()) }

  mutating func integer() throws -> Int { Int(try int64()) }

  mutating func version() throws -> CommitVersion { CommitVersion(microseconds: try int64()) }

  mutating func text() throws -> Text { Text(try string()) }
}

extension ProtobufWriter {
  mutating func fieldPath(_ field: Int, _ path: FieldPath) {
    var bytes: [UInt8] = []
    SegmentEncoding.append(path, to: &bytes)
    content(field, bytes)
  }

  mutating func path(_ field: Int, _ path: ResourcePath) { content(field, path.encoded) }

  mutating func version(_ field: Int, _ version: CommitVersion) {
    int64(field, version.microseconds)
  }
}
