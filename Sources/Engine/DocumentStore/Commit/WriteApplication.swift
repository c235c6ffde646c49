import BaseStatus
import DocumentCodec
import FirestoreModel

/// The effect of one write on a document's fields.
enum WriteApplication {
  /// Applies the update or transform operation of a write, then its transforms, to the fields that
  /// the document has (nil where there is none).
  ///
  /// `requestTime` is only asked for by server timestamps; the caller has it where they occur.
  /// Unchecked results may exceed a document's limits.
  static func apply(
    _ write: Write,
    to current: DocumentFields?,
    requestTime: Timestamp?,
    isChecked: Bool = true
  ) throws(ServiceError) -> (fields: DocumentFields, transformResults: [Value]) {
    if case .update(let fields, nil) = write.operation, write.transforms.isEmpty {
      return (fields, [])
    }
    let updated = updated(write, from: current)
    if isChecked { try checkIncrements(write.transforms, of: updated) }
    let (fields, results) = updated.applying(
      write.transforms,
      requestTime: requestTime ?? Timestamp(microseconds: 0)
    )
    guard isChecked else { return (fields, results) }
    return (try DocumentCodec.validate(fields.bytes, name: write.name), results)
  }

  /// Throws INVALID_ARGUMENT for an increment of a decimal: the sum would be another number than the decimals' own.
  private static func checkIncrements(
    _ transforms: [FieldTransform],
    of fields: DocumentFields
  ) throws(ServiceError) {
    for transform in transforms {
      guard case .increment = transform.operation,
        case .bson(.decimal)? = fields.value(at: transform.field)
      else { continue }
      throw .invalidArgument("Increments of a decimal128 are not supported by Brasa.")
    }
  }

  private static func updated(_ write: Write, from current: DocumentFields?) -> DocumentFields {
    let stored = current ?? .empty
    return switch write.operation {
    case .update(let fields, nil): fields
    case .update(let fields, let mask?): stored.applying(fields, mask: mask)
    case .transform, .delete, .verify: stored
    }
  }
}
