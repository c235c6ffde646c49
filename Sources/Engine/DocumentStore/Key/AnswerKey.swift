import FirestoreModel

/// The keys of the responses to commits that their authors may send again.
///
/// - `0x32, incarnation, idempotency key (32 bytes)`; the value is `KeptAnswer`'s.
/// - `0x33, incarnation, version (8 bytes), idempotency key (32 bytes)`; the value is a marker. It
///   records how old the response is: the sweep goes over these, oldest first.
package enum AnswerKey {
  /// The key of the response.
  package static func bytes(_ key: IdempotencyKey, in incarnation: Incarnation) -> [UInt8] {
    KeySpace.answer.prefix(incarnation, reserving: IdempotencyKey.length) + key.bytes
  }

  /// The key with the response's age.
  package static func age(
    _ key: IdempotencyKey,
    _ version: CommitVersion,
    in incarnation: Incarnation
  ) -> [UInt8] {
    var bytes = KeySpace.answerAge.prefix(incarnation, reserving: 8 + IdempotencyKey.length)
    bytes.append(version)
    return bytes + key.bytes
  }

  /// The idempotency key in a whole key of a response; nil where it is none of these.
  package static func key(ofAnswer key: UnsafeRawBufferPointer) -> IdempotencyKey? {
    IdempotencyKey(digest: [UInt8](key.dropFirst(KeySpace.prefixLength)))
  }

  /// Returns the parts of a whole key of a response's age; nil if it is no such key.
  package static func parts(
    ofAge key: UnsafeRawBufferPointer
  ) -> (version: CommitVersion, key: IdempotencyKey)? {
    var position = KeySpace.prefixLength
    guard let version = readBigEndian(key, at: &position),
      let idempotencyKey = IdempotencyKey(digest: [UInt8](key[position...]))
    else { return nil }
    return (CommitVersion(microseconds: Int64(bitPattern: version)), idempotencyKey)
  }
}

/// The mark that distinguishes a commit that is sent again from a new one: a digest of the author's
/// own key and identity.
package struct IdempotencyKey: Sendable, Hashable {
  /// The number of bytes of a key.
  package static let length = 32

  /// The digest's bytes.
  package let bytes: [UInt8]

  /// A key of a digest's 32 bytes; nil for any other number.
  package init?(digest: [UInt8]) {
    guard digest.count == Self.length else { return nil }
    bytes = digest
  }
}
