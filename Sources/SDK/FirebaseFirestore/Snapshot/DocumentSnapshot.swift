import DocumentCodec
import FirestoreModel
import FirestoreSync
import Foundation

/// A document as it was at one time.
///
/// Unchecked: it is not final, and neither it nor a subclass here has anything that changes.
public class DocumentSnapshot: NSObject, @unchecked Sendable {
  /// The document.
  public let reference: DocumentReference
  /// The certainty of this snapshot.
  public let metadata: SnapshotMetadata
  /// Nil where there was none; decoded when it is read.
  let document: CachedDocument?

  /// A document's state; nil is no document.
  package required init(
    _ reference: DocumentReference,
    _ document: CachedDocument?,
    _ metadata: SnapshotMetadata
  ) {
    self.reference = reference
    self.document = document
    self.metadata = metadata
  }

  /// The document of a listener's snapshot.
  convenience init(_ reference: DocumentReference, _ snapshot: ViewSnapshot) {
    let document = snapshot.documents.first
    let metadata = SnapshotMetadata(
      hasPendingWrites: document != nil && snapshot.hasPendingWrites,
      isFromCache: snapshot.isFromCache
    )
    self.init(reference, document, metadata)
  }

  /// True if there was a document.
  public var exists: Bool { document?.isFound == true }

  /// The document's id.
  public var documentID: String { reference.documentID }

  /// The document's fields, with pending times as null; nil where there was none.
  public func data() -> [String: Any]? { fields(.none) }

  /// The document's fields; nil where there was none.
  public func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any]? {
    fields(serverTimestampBehavior)
  }

  func fields(_ behavior: ServerTimestampBehavior) -> [String: Any]? {
    document?.fields.map {
      UserValue.members($0.decoded(), UserValue.Reading(reference.firestore, behavior))
    }
  }

  /// A stored value; a pending time is the map that stands for it.
  func value(at field: FirestoreModel.FieldPath) -> Value? {
    document?.fields?.value(at: field)
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
    let reading = UserValue.Reading(reference.firestore, serverTimestampBehavior)
    return value(at: path.names).map { UserValue.object($0, reading) }
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

  /// True for the same reference and metadata with identical fields: 1 and 1.0 differ.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentSnapshot else { return false }
    return reference == other.reference && metadata == other.metadata
      && isIdentical(document?.fields, other.document?.fields)
  }

  private func isIdentical(_ left: DocumentFields?, _ right: DocumentFields?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.isIdentical(to: right)
    default: false
    }
  }

  /// A hash of the reference, the metadata and whether the document exists.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(reference)
    hasher.combine(exists)
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
