import BaseText
import FirestoreModel

// Beyond Google's API: paths of people, which throw where the usual ones trap.

extension Firestore {
  /// The collection at a path; throws where ``collection(_:)`` traps.
  public func collection(at path: String) throws -> CollectionReference {
    CollectionReference(self, try ResourcePath.root.checkedAppending(path: path, of: .collection))
  }

  /// The document at a path; throws where ``document(_:)`` traps.
  public func document(at path: String) throws -> DocumentReference {
    DocumentReference(self, try ResourcePath.root.checkedAppending(path: path, of: .document))
  }

  /// The documents of all collections of an id; throws where ``collectionGroup(_:)`` traps.
  public func collectionGroup(at collectionID: String) throws -> Query {
    try require(!collectionID.isEmpty, "Collection ID cannot be empty.")
    try require(
      !collectionID.contains("/"),
      "Invalid collection ID (\(collectionID)). Collection IDs must not contain / in them."
    )
    return Query(self, FirestoreModel.Query(scope: .collectionGroup(Text(collectionID))))
  }
}

extension CollectionReference {
  /// The document at a path below; throws where ``document(_:)`` traps.
  public func document(at path: String) throws -> DocumentReference {
    DocumentReference(firestore, try resource.checkedAppending(path: path, of: .document))
  }
}

extension DocumentReference {
  /// The collection at a path below; throws where ``collection(_:)`` traps.
  public func collection(at path: String) throws -> CollectionReference {
    CollectionReference(firestore, try name.path.checkedAppending(path: path, of: .collection))
  }
}
