import FirebaseCore
import FirebaseSharedSwift
import Foundation

/// A type that a ``DocumentID`` can hold.
public protocol DocumentIDWrappable {
  /// The value of a document.
  static func wrap(_ documentReference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
  /// The document's id.
  public static func wrap(_ documentReference: DocumentReference) throws -> String {
    documentReference.documentID
  }
}

extension DocumentReference: DocumentIDWrappable {
  /// The reference itself.
  public static func wrap(_ documentReference: DocumentReference) throws -> Self {
    guard let reference = documentReference as? Self else {
      throw FirestoreDecodingError.decodingIsNotSupported("A reference of another class.")
    }
    return reference
  }
}

/// The document that a value was read from.
///
/// It is no field: encoders leave it out, and decoding ignores a field of its name.
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable & Codable>: StructureCodingUncodedUnkeyed {
  private var value: Value?

  /// Wraps a value; one that is set here is not stored.
  public init(wrappedValue value: Value?) {
    if value != nil {
      FirebaseLog.write(
        .warning,
        "FirebaseFirestore",
        "I-FST000002",
        "Attempting to initialize or set a @DocumentID property with a non-nil value; it will be "
          + "ignored when the document is written."
      )
    }
    self.value = value
  }

  private init(decoded value: Value) { self.value = value }

  /// The document; nil in a value that was not read.
  public var wrappedValue: Value? {
    get { value }
    set { value = newValue }
  }
}

extension DocumentID: Codable {
  /// Takes the document of the decoder.
  public init(from decoder: any Decoder) throws {
    guard let reference = decoder.userInfo[.documentReference] as? DocumentReference else {
      throw FirestoreDecodingError.decodingIsNotSupported(
        "DocumentID values can only be decoded with Firestore.Decoder of a document"
      )
    }
    self.init(decoded: try Value.wrap(reference))
  }

  /// Throws: Firestore's encoder leaves it out, and others do not know of it.
  public func encode(to encoder: any Encoder) throws {
    throw FirestoreEncodingError.encodingIsNotSupported(
      "DocumentID values can only be encoded with Firestore.Encoder"
    )
  }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
extension DocumentID: Sendable where Value: Sendable {}
