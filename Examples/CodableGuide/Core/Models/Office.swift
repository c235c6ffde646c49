import FirebaseFirestore

/// An office and where it is.
package struct Office: Codable, Sendable {
  @DocumentID package var id: String?
  package var name: String
  package var location: GeoPoint
}
