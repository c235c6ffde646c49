import BaseStatus
import DocumentCodec
import FirestoreModel

/// Reads `google.firestore.v1.StructuredQuery.FindNearest`.
struct FindNearestMessage {
  private var field: FieldPath?
  private var vector: Value?
  private var measure: Int32 = 0
  private var limit: Int64?
  private var resultField = ""
  private var threshold: Double?

  /// Reads a search to its end.
  static func read(_ outer: inout ProtobufReader) throws -> FindNearest {
    try outer.submessage { reader in
      var message = FindNearestMessage()
      while let field = try reader.nextField() { try message.readField(field, &reader) }
      return try message.search()
    }
  }

  private mutating func readField(_ number: Int, _ reader: inout ProtobufReader) throws {
    switch number {
    case 1: try field.set(try reader.fieldReference(), once: "vector_field")
    case 2: try vector.set(try reader.value(), once: "query_vector")
    case 3: measure = try reader.int32()
    case 4: try limit.set(try reader.wrappedInteger(), once: "limit")
    case 5: resultField = try reader.string()
    case 6: try threshold.set(try reader.wrappedDouble(), once: "distance_threshold")
    default: try reader.skip()
    }
  }

  private func search() throws(ServiceError) -> FindNearest {
    guard let field else { throw .invalidArgument("FindNearest vector_field is required.") }
    guard case .vector(let numbers)? = vector else {
      throw .invalidArgument("FindNearest query_vector must be a vector.")
    }
    if numbers.isEmpty { throw .invalidArgument("Cannot have a zero length vector.") }
    if numbers.count > Limits.vectorDimension {
      throw .invalidArgument("Vectors must be at most 2048 dimensions.")
    }
    guard let measure = FindNearest.Measure(rawValue: Int(measure)) else {
      throw .invalidArgument("Unknown or unset FindNearest distance_measure.")
    }
    guard let limit, (1...Int64(Limits.nearestNeighbours)).contains(limit) else {
      throw .invalidArgument("FindNearest limit must be within 1 and 1000.")
    }
    return FindNearest(
      field: field,
      vector: numbers,
      measure: measure,
      limit: Int(limit),
      distanceResultField: resultField.isEmpty ? nil : try FieldPath(parsing: resultField),
      distanceThreshold: threshold
    )
  }
}
