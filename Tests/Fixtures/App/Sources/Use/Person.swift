import FirebaseFirestore
import FirebaseFirestoreSwift

/// A document of the app.
public struct Person: Codable, Identifiable, Hashable {
  /// The document's id.
  @DocumentID public var id: String?
  /// When the document was made.
  @ServerTimestamp public var createdAt: Timestamp?
  /// A name that is null where there is none.
  @ExplicitNull public var nickname: String?
  /// The name.
  public var name: String
  /// The person's place.
  public var place: GeoPoint?

  /// A person who is not stored yet.
  public init(name: String) { self.name = name }
}

/// Reading and writing in the ways of apps, as far as they need no network.
public enum People {
  /// A person as fields.
  public static func fields(of person: Person) throws -> [String: Any] {
    let encoder = Firestore.Encoder()
    encoder.dateEncodingStrategy = .timestamp
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return try encoder.encode(person)
  }

  /// The people of snapshots; those who cannot be read are passed over.
  public static func people(in snapshots: [QueryDocumentSnapshot]) -> [Person] {
    snapshots.compactMap { try? $0.data(as: Person.self) }
  }

  /// A person's name without a model.
  public static func name(in snapshot: DocumentSnapshot) -> String? {
    guard snapshot.exists, let data = snapshot.data() else { return nil }
    return data["name"] as? String ?? snapshot["profile.name"] as? String
  }

  /// Returns the fields that a change of a person writes.
  public static func change(likes: Int64, tag: String) -> [String: Any] {
    [
      "likes": FieldValue.increment(likes), "tags": FieldValue.arrayUnion([tag]),
      "updatedAt": FieldValue.serverTimestamp(), "old": FieldValue.delete(),
      "embedding": FieldValue.vector([0.5, 1.0]),
    ]
  }

  /// Returns a description of an error of the database, for people.
  public static func text(of error: any Error) -> String {
    switch error {
    case FirestoreErrorCode.permissionDenied: return "not allowed"
    case FirestoreErrorCode.unavailable: return "offline"
    default:
      let error = error as NSError
      return error.domain == FirestoreErrorDomain ? "\(error.code)" : error.localizedDescription
    }
  }
}
