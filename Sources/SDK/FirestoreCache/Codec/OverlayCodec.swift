import DocumentCodec
import FirestoreModel
import FirestoreSync

/// The bytes of an overlay: 1 its last batch, 2 kind (1 set, 2 patch, 3 delete), 3 fields, 4 a masked path (any number).
enum OverlayCodec {
  static func encode(_ overlay: Overlay) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.int64(1, Int64(overlay.batch))
    switch overlay.change {
    case .set(let fields):
      writer.int64(2, 1)
      writer.content(3, fields.bytes)
    case .patch(let fields, let mask):
      writer.int64(2, 2)
      writer.content(3, fields.bytes)
      for path in mask { writer.fieldPath(4, path) }
    case .delete: writer.int64(2, 3)
    }
    return writer.bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) throws -> Overlay {
    var batch: BatchID = 0
    var kind: Int64 = 0
    var fields = DocumentFields.empty
    var mask: [FieldPath] = []
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: batch = try reader.integer()
      case 2: kind = try reader.int64()
      case 3: fields = DocumentFields(validated: try reader.byteArray())
      case 4: mask.append(try reader.fieldPath())
      default: return false
      }
      return true
    }
    switch kind {
    case 1: return Overlay(batch: batch, change: .set(fields))
    case 2: return Overlay(batch: batch, change: .patch(fields, mask: mask))
    case 3: return Overlay(batch: batch, change: .delete)
    default: throw CacheError.damaged("what a queued write made of a document")
    }
  }
}
