import FirestoreModel

/// The ids of installations: 17 random bytes in URL-safe base64, of which the first four bits are 0111.
package enum InstallationID {
  /// A new id.
  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    var bytes = (0..<17).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes[0] = bytes[0] & 0x0F | 0x70
    return String(Base64.url(bytes).prefix(22))
  }
}
