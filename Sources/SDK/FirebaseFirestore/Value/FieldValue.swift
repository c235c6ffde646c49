import FirestoreModel
import Foundation

/// An operation that a write performs on a field instead of setting it.
public final class FieldValue: NSObject, Sendable, Encodable {
  /// The kinds, with operands that were checked.
  package enum Operation: Sendable, Hashable {
    case delete
    case serverTimestamp
    case arrayUnion([Value])
    case arrayRemove([Value])
    case increment(Value)
    case maximum(Value)
    case minimum(Value)
  }

  /// The operation of the write, with its operand.
  package let operation: Operation

  private init(_ operation: Operation) { self.operation = operation }

  /// Removes the field; for `updateData` and for merging.
  public static func delete() -> FieldValue { FieldValue(.delete) }

  /// Sets the field to the time of the commit, by the server's clock.
  public static func serverTimestamp() -> FieldValue { FieldValue(.serverTimestamp) }

  /// Adds the elements that the array does not have.
  public static func arrayUnion(_ elements: [Any]) -> FieldValue {
    trapping { FieldValue(.arrayUnion(try operands(ofUnion: elements))) }
  }

  /// Removes the elements from the array, each wherever it is.
  public static func arrayRemove(_ elements: [Any]) -> FieldValue {
    trapping { FieldValue(.arrayRemove(try operands(ofRemoval: elements))) }
  }

  /// Throws `invalidArgument` where ``arrayUnion(_:)`` would trap.
  public static func check(arrayUnion elements: [Any]) throws {
    _ = try checking { try operands(ofUnion: elements) }
  }

  /// Throws `invalidArgument` where ``arrayRemove(_:)`` would trap.
  public static func check(arrayRemove elements: [Any]) throws {
    _ = try checking { try operands(ofRemoval: elements) }
  }

  private static func operands(ofUnion elements: [Any]) throws -> [Value] {
    try UserValue.elements(elements, of: "FieldValue.arrayUnion()")
  }

  private static func operands(ofRemoval elements: [Any]) throws -> [Value] {
    try UserValue.elements(elements, of: "FieldValue.arrayRemove()")
  }

  /// Adds to the field's number, which becomes a double.
  public static func increment(_ d: Double) -> FieldValue { FieldValue(.increment(.double(d))) }

  /// Adds to the field's number.
  public static func increment(_ l: Int64) -> FieldValue { FieldValue(.increment(.integer(l))) }

  /// Sets the field to this number unless it has a greater one.
  public static func maximum(_ d: Double) -> FieldValue { FieldValue(.maximum(.double(d))) }

  /// Sets the field to this number unless it has a greater one.
  public static func maximum(_ l: Int64) -> FieldValue { FieldValue(.maximum(.integer(l))) }

  /// Sets the field to this number unless it has a smaller one.
  public static func minimum(_ d: Double) -> FieldValue { FieldValue(.minimum(.double(d))) }

  /// Sets the field to this number unless it has a smaller one.
  public static func minimum(_ l: Int64) -> FieldValue { FieldValue(.minimum(.integer(l))) }

  /// A vector of numbers.
  public static func vector(_ array: [Double]) -> VectorValue { VectorValue(array) }

  /// A vector of numbers.
  public static func vector(_ array: [Float]) -> VectorValue { VectorValue(array.map(Double.init)) }

  /// True for the same operation with equal operands.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? FieldValue)?.operation == operation
  }

  /// A hash of the operation and its operand.
  public override var hash: Int { operation.hashValue }

  /// The operation and its operand, for logs.
  public override var description: String { "<FIRFieldValue: \(operation)>" }

  /// Throws: only Firestore's encoder takes field values.
  public func encode(to encoder: any Encoder) throws {
    throw FirestoreEncodingError.encodingIsNotSupported(
      "FieldValue values can only be encoded with Firestore.Encoder"
    )
  }
}
