import Access
import Authentication
import BaseStatus
import BaseText
import Crypto

// Passkeys of administrators (WebAuthn level 2, sections 7.1 and 7.2): ES256, with PIN or biometrics, so that one is both factors.
// No statement about the authenticator's make is asked for, and none is read.

/// The browser's data of a passkey that was created.
struct PasskeyRegistration: Sendable {
  let clientData: [UInt8]
  let attestation: [UInt8]
  /// The name that people give the passkey.
  let name: String
}

/// The browser's data of a passkey that signed.
struct PasskeyAssertion: Sendable {
  let id: [UInt8]
  /// The uid, which the authenticator keeps beside the key.
  let uid: Text
  let clientData: [UInt8]
  let authenticatorData: [UInt8]
  /// In DER.
  let signature: [UInt8]
}

extension Administrators {
  private static let signingIn = "sign-in"

  /// A challenge for who signs in, or for a new passkey of an administrator.
  func passkeyChallenge(for holder: SignedInAdministrator? = nil) -> String {
    challenges.make(for: holder.map(Self.purpose) ?? Self.signingIn)
  }

  private static func purpose(_ holder: SignedInAdministrator) -> String {
    "registration \(holder.uid)"
  }

  /// Adds a passkey that a page of that host had an authenticator make.
  func addPasskey(
    _ registration: PasskeyRegistration,
    of holder: SignedInAdministrator,
    at party: RelyingParty
  ) throws {
    guard let client = ClientData(registration.clientData),
      client.isOf(.registration, from: party.origin),
      let statement = try? CBOR(registration.attestation),
      let bytes = statement[.text("authData")]?.byteString,
      let data = try? AuthenticatorData(bytes), data.isVerified(at: party.host),
      let credential = data.credential,
      (try? P256.Signing.PublicKey(x963Representation: credential.publicKey)) != nil,
      challenges.redeem(client.challenge, for: Self.purpose(holder))
    else { throw ServiceError.invalidArgument("This is not a passkey for this server.") }
    let name = registration.name.prefix(100)
    try scope.add(
      Passkey(
        id: credential.id,
        host: party.host,
        publicKey: credential.publicKey,
        name: String(name),
        createdAt: now * 1_000,
        signCount: data.signCount
      ),
      to: holder.uid
    )
  }

  /// Removes a passkey by its id.
  func removePasskey(_ id: [UInt8], of uid: Text) throws { try scope.removePasskey(id, of: uid) }

  /// Signs in by a passkey, which is both factors; returns the secret of the session and the address.
  func signIn(
    _ assertion: PasskeyAssertion,
    at party: RelyingParty
  ) throws -> (secret: String, email: String) {
    let user = try scope.signIn(assertion.uid, byPasskey: assertion.id) { passkey in
      guard let client = ClientData(assertion.clientData),
        client.isOf(.signIn, from: party.origin),
        let count = Self.signCount(assertion, passkey, party),
        challenges.redeem(client.challenge, for: Self.signingIn)
      else { throw AccountError(.invalidLoginCredentials) }
      return count
    }
    return (try begin(user), user.email?.string ?? "")
  }

  /// Returns the authenticator's count of signatures; nil if the signature is wrong.
  private static func signCount(
    _ assertion: PasskeyAssertion,
    _ passkey: Passkey,
    _ party: RelyingParty
  ) -> Int64? {
    guard passkey.host == party.host,
      let data = try? AuthenticatorData(assertion.authenticatorData),
      data.isVerified(at: party.host),
      let key = try? P256.Signing.PublicKey(x963Representation: passkey.publicKey),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: assertion.signature)
    else { return nil }
    let signed = assertion.authenticatorData + Array(SHA256.hash(data: assertion.clientData))
    return key.isValidSignature(signature, for: signed) ? data.signCount : nil
  }
}
