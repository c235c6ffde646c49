import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync

/// The bytes of an index: 1 the collections' id, 2 a field (any number): 1 its path, 2 its kind; 3 whether it is complete,
/// 4 the last document that has its entries.
enum IndexCodec {
  static func encode(_ index: FieldIndex) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, index.definition.collectionID.string)
    for field in index.definition.fields {
      writer.message(2) { writer in
        writer.fieldPath(1, field.path)
        writer.int64(2, field.kind.rawValue)
      }
    }
    switch index.progress {
    case .complete: writer.bool(3, true)
    case .building(let position?): writer.path(4, position)
    case .building(nil): break
    }
    return writer.bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, id: IndexID) throws -> FieldIndex {
    var collectionID: Text = ""
    var fields: [FieldIndex.Field] = []
    var progress = FieldIndex.Progress.building(after: nil)
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: collectionID = try reader.text()
      case 2: fields.append(try decodeField(try reader.content()))
      case 3: if try reader.bool() { progress = .complete }
      case 4: progress = .building(after: try reader.path())
      default: return false
      }
      return true
    }
    guard let definition = FieldIndex.Definition(collectionID, fields) else {
      throw CacheError.damaged("the index \(id)")
    }
    return FieldIndex(id: id, definition: definition, progress: progress)
  }

  private static func decodeField(_ bytes: UnsafeRawBufferPointer) throws -> FieldIndex.Field {
    var path: FieldPath?
    var kind: FieldIndex.Kind?
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: path = try reader.fieldPath()
      case 2: kind = FieldIndex.Kind(rawValue: try reader.int64())
      default: return false
      }
      return true
    }
    guard let path, let kind else { throw CacheError.damaged("an index's field") }
    return FieldIndex.Field(path, kind)
  }
}
