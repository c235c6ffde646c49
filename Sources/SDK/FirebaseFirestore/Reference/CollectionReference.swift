import FirestoreModel
import Foundation

/// A collection of documents, which is also the query for all of them.
public final class CollectionReference: Query, @unchecked Sendable {
  /// The collection's path in its database, always with an odd number of segments.
  package let resource: ResourcePath

  init(_ firestore: Firestore, _ path: ResourcePath) {
    resource = path
    let id = path.lastID ?? ""
    super.init(firestore, FirestoreModel.Query(parent: path.parent, scope: .collection(id)))
  }

  /// The collection's id: the last segment of its path.
  public var collectionID: String { resource.lastID?.string ?? "" }

  /// The collection's path, of segments between slashes.
  public var path: String { resource.string }

  /// The document that the collection is under; nil at the top.
  public var parent: DocumentReference? {
    resource.parent.isRoot ? nil : DocumentReference(firestore, resource.parent)
  }

  /// A new document with an id of twenty random letters and digits.
  public func document() -> DocumentReference {
    var random = SystemRandomNumberGenerator()
    return DocumentReference(firestore, resource.appending(ResourceID.random(using: &random)))
  }

  /// The document at a path below; traps on any other path.
  public func document(_ documentPath: String) -> DocumentReference {
    DocumentReference(firestore, resource.appending(path: documentPath, of: .document))
  }

  /// The path in the form of Google's SDK, for logs.
  public override var description: String { "<FIRCollectionReference: \(path)>" }
}
