import FirebaseFirestore

/// An article and how far it is.
package struct Article: Codable, Sendable {
  /// Stored as its raw value; Firestore has no enums, so a text that is no case is corrupt data.
  package enum Status: String, Codable, CaseIterable, Sendable {
    case draft
    case inReview = "in review"
    case approved
    case published
  }

  @DocumentID package var id: String?
  package var title: String
  package var status: Status

  package static var empty: Article { Article(title: "", status: .draft) }
}
