import FirestoreModel
import Foundation

extension Firestore {
  /// Returns the reason why a document cannot be named in this database; nil if it can.
  func problem(of name: DocumentName) -> String? {
    guard name.database != database else { return nil }
    return
      "Document Reference is for database \(name.database.project)/\(name.database.database) but should "
      + "be for database \(database.project)/\(database.database)"
  }
}

/// A document, whether it exists or not.
///
/// It is coded by Firestore's own coders alone, as the reference that it is.
public final class DocumentReference: NSObject, Sendable, Codable {
  /// The database whose client this is.
  public let firestore: Firestore
  /// The document; references that were read may lead to other databases.
  package let name: DocumentName

  init(_ firestore: Firestore, _ path: ResourcePath) {
    self.firestore = firestore
    name = DocumentName(database: firestore.database, path: path)
  }

  /// A reference that was read: its name may be of another database than the client's.
  package init(_ firestore: Firestore, name: DocumentName) {
    self.firestore = firestore
    self.name = name
  }

  /// The document's id: the last segment of its path.
  public var documentID: String { name.path.lastID?.string ?? "" }

  /// The document's path, of segments between slashes.
  public var path: String { name.path.string }

  /// The collection that the document is in.
  public var parent: CollectionReference { CollectionReference(firestore, name.path.parent) }

  /// The collection at a path below; traps on any other path.
  public func collection(_ collectionPath: String) -> CollectionReference {
    CollectionReference(firestore, name.path.appending(path: collectionPath, of: .collection))
  }

  /// True for the same name, of the same ``Firestore`` object.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentReference else { return false }
    return firestore === other.firestore && name == other.name
  }

  /// A hash of the database and the path.
  public override var hash: Int { name.hashValue }

  /// The path in the form of Google's SDK, for logs.
  public override var description: String { "<FIRDocumentReference: \(path)>" }

  /// Throws: only Firestore's decoder has references.
  public required init(from decoder: any Decoder) throws {
    throw FirestoreDecodingError.decodingIsNotSupported(
      "DocumentReference values can only be decoded with Firestore.Decoder"
    )
  }

  /// Throws: only Firestore's encoder takes references.
  public func encode(to encoder: any Encoder) throws {
    throw FirestoreEncodingError.encodingIsNotSupported(
      "DocumentReference values can only be encoded with Firestore.Encoder"
    )
  }
}
