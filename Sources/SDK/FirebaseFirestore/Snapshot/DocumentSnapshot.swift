import FirestoreModel
import Foundation

/// A document as it was at one time.
///
/// Unchecked: it is not final, and neither it nor a subclass here has anything that changes.
public class DocumentSnapshot: NSObject, @unchecked Sendable {
  /// The document.
  public let reference: DocumentReference
  /// How sure this is.
  public let metadata: SnapshotMetadata
  private let fields: MapValue?
  private let pending: [PendingServerTimestamp]

  /// A document's state; nil fields are no document.
  ///
  /// Pending fields are null in `fields`.
  package init(
    reference: DocumentReference,
    fields: MapValue?,
    pending: [PendingServerTimestamp] = [],
    metadata: SnapshotMetadata
  ) {
    self.reference = reference
    self.fields = fields
    self.pending = pending
    self.metadata = metadata
  }

  /// Whether there was a document.
  public var exists: Bool { fields != nil }

  /// The document's id.
  public var documentID: String { reference.documentID }

  /// The document's fields, with pending times as null; nil where there was none.
  public func data() -> [String: Any]? { fields(.none) }

  /// The document's fields; nil where there was none.
  public func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any]? {
    fields(serverTimestampBehavior)
  }

  func fields(_ behavior: ServerTimestampBehavior) -> [String: Any]? {
    map(behavior).map { UserValue.members($0, reference.firestore) }
  }

  /// A stored value; null where the server has not set it yet.
  func value(at field: FirestoreModel.FieldPath) -> Value? { fields?.value(at: field) }

  /// Whether the server has not set a field yet.
  func isPending(_ field: FirestoreModel.FieldPath) -> Bool {
    pending.contains { $0.field == field }
  }

  private func map(_ behavior: ServerTimestampBehavior) -> MapValue? {
    guard var map = fields else { return nil }
    for field in pending { map.set(field.value(behavior), at: field.field) }
    return map
  }

  /// A field by its name, its path with dots, or a ``FieldPath``; nil where there is none.
  public func get(_ field: Any) -> Any? { get(field, serverTimestampBehavior: .none) }

  /// A field by its name, its path with dots, or a ``FieldPath``; nil where there is none.
  public func get(
    _ field: Any,
    serverTimestampBehavior: ServerTimestampBehavior
  ) -> Any? {
    let path: FieldPath
    switch field {
    case let given as FieldPath: path = given
    case let text as String: path = .dotted(text)
    default: preconditionFailure("Subscript key must be an NSString or FIRFieldPath.")
    }
    return map(serverTimestampBehavior)?.value(at: path.names)
      .map { UserValue.object($0, reference.firestore) }
  }

  /// A field by its name, its path with dots, or a ``FieldPath``; nil where there is none.
  public subscript(key: Any) -> Any? { self.get(key) }

  /// The document as a value; where there was none, as decoded from null.
  public func data<T: Decodable>(
    as type: T.Type,
    with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init()
  ) throws -> T {
    let data: Any = fields(serverTimestampBehavior) ?? NSNull()
    return try decoder.decode(type, from: data, in: reference)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentSnapshot else { return false }
    return reference == other.reference && fields == other.fields && pending == other.pending
      && metadata == other.metadata
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(reference)
    hasher.combine(fields)
    hasher.combine(metadata)
    return hasher.finalize()
  }
}

/// A document that a query found.
public final class QueryDocumentSnapshot: DocumentSnapshot, @unchecked Sendable {
  /// The document's fields, with pending times as null.
  public override func data() -> [String: Any] { existing(.none) }

  /// The document's fields.
  public override func data(
    with serverTimestampBehavior: ServerTimestampBehavior
  ) -> [String: Any] {
    existing(serverTimestampBehavior)
  }

  private func existing(_ behavior: ServerTimestampBehavior) -> [String: Any] {
    guard let fields = fields(behavior) else {
      preconditionFailure("Document in a QueryDocumentSnapshot should exist.")
    }
    return fields
  }
}
