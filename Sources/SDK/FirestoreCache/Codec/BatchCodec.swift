import DocumentCodec
import FirestoreModel
import FirestoreSync

/// The bytes of a queued batch.
///
///     1  the client's clock when it was written: seconds, 2 nanoseconds
///     3  a write that keeps a base value, 4 a write (any number of both):
///          1 path   2 kind: 1 set, 2 patch, 3 delete, 4 verify, 5 transforms alone
///          3 fields   4 a masked path   5 a transform: 1 field, 2 kind, 3 an operand
///          6 must exist (0 or 1)   7 must have this update time
package enum BatchCodec {
  /// The bytes of a batch, without its number.
  package static func encode(_ batch: MutationBatch) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.int64(1, batch.localWriteTime.seconds)
    writer.int64(2, Int64(batch.localWriteTime.nanos))
    for write in batch.baseWrites { writer.message(3) { encode(write, &$0) } }
    for write in batch.writes { writer.message(4) { encode(write, &$0) } }
    return writer.bytes
  }

  private static func encode(_ write: Write, _ writer: inout ProtobufWriter) {
    writer.path(1, write.name.path)
    switch write.operation {
    case .update(let fields, nil):
      writer.int64(2, 1)
      writer.content(3, fields.bytes)
    case .update(let fields, let mask?):
      writer.int64(2, 2)
      writer.content(3, fields.bytes)
      for path in mask { writer.fieldPath(4, path) }
    case .delete: writer.int64(2, 3)
    case .verify: writer.int64(2, 4)
    case .transform: writer.int64(2, 5)
    }
    for transform in write.transforms { writer.message(5) { encode(transform, &$0) } }
    switch write.precondition {
    case nil: break
    case .exists(let flag)?: writer.int64(6, flag ? 1 : 0)
    case .updateTime(let version)?: writer.version(7, version)
    }
  }

  private static func encode(_ transform: FieldTransform, _ writer: inout ProtobufWriter) {
    writer.fieldPath(1, transform.field)
    let (kind, operands): (Int64, [Value]) =
      switch transform.operation {
      case .serverTimestamp: (1, [])
      case .increment(let operand): (2, [operand])
      case .maximum(let operand): (3, [operand])
      case .minimum(let operand): (4, [operand])
      case .appendMissingElements(let elements): (5, elements)
      case .removeAllFromArray(let elements): (6, elements)
      }
    writer.int64(2, kind)
    for operand in operands { writer.value(3, operand) }
  }

  /// Reads a batch that is queued under a number.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer,
    id: BatchID,
    database: DatabaseID
  ) throws -> MutationBatch {
    var seconds: Int64 = 0
    var nanos: Int64 = 0
    var bases: [Write] = []
    var writes: [Write] = []
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: seconds = try reader.int64()
      case 2: nanos = try reader.int64()
      case 3: bases.append(try write(try reader.content(), database))
      case 4: writes.append(try write(try reader.content(), database))
      default: return false
      }
      return true
    }
    guard let time = Timestamp(seconds: seconds, nanos: Int32(truncatingIfNeeded: nanos)) else {
      throw CacheError.damaged("the time of a queued write")
    }
    return MutationBatch(id: id, localWriteTime: time, baseWrites: bases, writes: writes)
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer,
    _ database: DatabaseID
  ) throws -> Write {
    var path: ResourcePath?
    var kind: Int64 = 0
    var fields = DocumentFields.empty
    var mask: [FieldPath] = []
    var transforms: [FieldTransform] = []
    var precondition: Precondition?
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: path = try reader.path()
      case 2: kind = try reader.int64()
      case 3: fields = DocumentFields(validated: try reader.byteArray())
      case 4: mask.append(try reader.fieldPath())
      case 5: transforms.append(try transform(try reader.content()))
      case 6: precondition = .exists(try reader.bool())
      case 7: precondition = .updateTime(try reader.version())
      default: return false
      }
      return true
    }
    guard let path, let operation = operation(kind, fields, mask) else {
      throw CacheError.damaged("a queued write")
    }
    return Write(
      name: DocumentName(database: database, path: path),
      operation: operation,
      transforms: transforms,
      precondition: precondition
    )
  }

  private static func operation(
    _ kind: Int64,
    _ fields: DocumentFields,
    _ mask: [FieldPath]
  ) -> Write.Operation? {
    switch kind {
    case 1: .update(fields, mask: nil)
    case 2: .update(fields, mask: mask)
    case 3: .delete
    case 4: .verify
    case 5: .transform
    default: nil
    }
  }

  private static func transform(_ bytes: UnsafeRawBufferPointer) throws -> FieldTransform {
    var path: FieldPath?
    var kind: Int64 = 0
    var operands: [Value] = []
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: path = try reader.fieldPath()
      case 2: kind = try reader.int64()
      case 3: operands.append(try reader.value())
      default: return false
      }
      return true
    }
    guard let path, let operation = operation(kind, operands) else {
      throw CacheError.damaged("a queued transform")
    }
    return FieldTransform(field: path, operation: operation)
  }

  private static func operation(
    _ kind: Int64,
    _ operands: [Value]
  ) -> FieldTransform.Operation? {
    switch kind {
    case 1: .serverTimestamp
    case 2: operands.first.map { .increment($0) }
    case 3: operands.first.map { .maximum($0) }
    case 4: operands.first.map { .minimum($0) }
    case 5: .appendMissingElements(operands)
    case 6: .removeAllFromArray(operands)
    default: nil
    }
  }
}
