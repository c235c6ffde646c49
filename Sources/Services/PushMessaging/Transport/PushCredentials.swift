/// The proof to a push service that a project may send.
package enum PushCredentials: Sendable, Equatable {
  case apns(APNsKey)
  case vapid(VAPIDPair)
  /// The address needs none.
  case none
}

/// A signing key of an Apple developer team.
package struct APNsKey: Sendable, Equatable {
  /// Ten characters, as Apple shows them beside the key.
  package let keyID: String
  /// Ten characters.
  package let teamID: String
  /// The content of the .p8 file.
  package let privateKey: String
  /// The bundle id of the app for which it is used; empty is every app of the project.
  package let bundle: String

  /// A key of those parts.
  package init(keyID: String, teamID: String, privateKey: String, bundle: String = "") {
    self.keyID = keyID
    self.teamID = teamID
    self.privateKey = privateKey
    self.bundle = bundle
  }
}

/// The P-256 key pair by which a project names itself to push services (RFC 8292).
package struct VAPIDPair: Sendable, Equatable {
  /// The uncompressed point: 65 bytes, of which the first is 4.
  package let publicKey: [UInt8]
  /// The scalar: 32 bytes.
  package let privateKey: [UInt8]
  /// Whom a push service may ask: a mailto or https URL.
  package let subject: String

  /// A pair of those parts.
  package init(publicKey: [UInt8], privateKey: [UInt8], subject: String) {
    self.publicKey = publicKey
    self.privateKey = privateKey
    self.subject = subject
  }
}
