/// The reason why something cannot be decoded.
public enum FirestoreDecodingError: Error, Sendable {
  /// The type is decoded by Firestore's decoder alone, or needs a document's reference.
  case decodingIsNotSupported(String)
  /// Two fields have one name.
  case fieldNameConflict(String)
}

/// The reason why something cannot be encoded.
public enum FirestoreEncodingError: Error, Sendable {
  /// The type is encoded by Firestore's encoder alone.
  case encodingIsNotSupported(String)
}
