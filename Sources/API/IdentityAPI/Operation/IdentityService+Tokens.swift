import Authentication
import BaseJSON
import BaseText
import HTTPTypes

// Refreshing sessions, access tokens of service accounts, and the documents with the keys of tokens.

extension IdentityService {
  /// New tokens for a refresh token: `token` of securetoken.
  ///
  /// Forms have snake_case, iOS sends JSON.
  func refresh(_ envelope: IdentityEnvelope) async throws -> JSONValue {
    guard envelope.method == .post else { throw IdentityFailure.notFound }
    let ofKey = try await blocking { try self.project(ofKey: envelope) }
    // In development the token alone says which project it is of.
    let scope = environment.isDevelopment ? nil : AccountScope.project(ofKey)
    let message = try RequestShapes.token.read(envelope.body)
    guard let grant = message.text("grantType") else {
      throw IdentityFailure.code("MISSING_GRANT_TYPE")
    }
    guard grant == "refresh_token" else { throw IdentityFailure.code("INVALID_GRANT_TYPE") }
    guard let token = message.text("refreshToken") else {
      throw IdentityFailure.code("MISSING_REFRESH_TOKEN")
    }
    let session = try await blocking {
      try accounts.refresh(token, only: scope, from: .client(address: envelope.address))
    }
    guard case .project(let project) = session.scope else {
      throw AccountError(.tenantsUnsupported, "Brasa does not support tenants.")
    }
    return .object([
      "access_token": .string(session.idToken),
      "expires_in": .string(String(session.expiresIn)),
      "token_type": .string("Bearer"),
      "refresh_token": .string(session.refreshToken),
      "id_token": .string(session.idToken),
      "user_id": .string(session.user.uid.string),
      "project_id": .string(ProjectNumber(project).text),
    ])
  }

  /// A service account's exchange of an assertion for an access token (RFC 7523).
  func exchange(_ envelope: IdentityEnvelope) async throws -> JSONValue {
    guard envelope.method == .post else { throw IdentityFailure.notFound }
    guard case .object(let members) = envelope.body else { throw Self.badGrant }
    func field(_ name: String) -> String? {
      if case .string(let text)? = members.first(where: { $0.key == name })?.value {
        text
      } else {
        nil
      }
    }
    guard field("grant_type") != "refresh_token" else { throw Self.noPeople }
    guard field("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer",
      let assertion = field("assertion")
    else { throw OAuthFailure(code: "unsupported_grant_type", description: "Invalid grant_type") }
    let made: (token: String, expiresIn: Int64)
    do {
      made = try await blocking { try accounts.exchange(assertion: assertion) }
    } catch is JSONWebToken.Problem {
      throw Self.badGrant
    }
    return .object([
      "access_token": .string(made.token),
      "expires_in": .number(String(made.expiresIn)),
      "token_type": .string("Bearer"),
    ])
  }

  /// The refusal of a session of Google's, which the Firebase CLI keeps after `firebase login`.
  private static let noPeople = OAuthFailure(
    code: "unsupported_grant_type",
    description:
      "This server has no Google accounts. Set GOOGLE_APPLICATION_CREDENTIALS to a key file of "
      + "`brasa keys create`."
  )

  /// Signs bytes for a service account, as IAM Credentials' `signBlob`.
  func signBlob(_ email: String, _ envelope: IdentityEnvelope) async throws -> JSONValue {
    guard envelope.method == .post else { throw IdentityFailure.notFound }
    let message = try RequestShapes.signBlob.read(envelope.body)
    guard let bytes = message.text("payload").flatMap(Base64.decode), !bytes.isEmpty,
      bytes.count <= ServiceAccounts.longestBlob
    else {
      throw IdentityFailure.invalid(
        "Invalid value at 'payload' (TYPE_BYTES): 1 byte to 1 MiB in Base64."
      )
    }
    let accounts = accounts
    let signed = try await blocking { try accounts.serviceAccounts.sign(bytes, as: email) }
    guard let signed else {
      throw IdentityFailure(
        status: .notFound,
        message:
          "There is no service account \(email.prefix(200)): create one with `brasa keys create`.",
        canonical: "NOT_FOUND",
        reason: "notFound"
      )
    }
    return .object([
      "keyId": .string(signed.keyID), "signedBlob": .string(Base64.standard(signed.signature)),
    ])
  }

  private static let badGrant = OAuthFailure(
    code: "invalid_grant",
    description: "Invalid JWT Signature, claims or times."
  )

  /// The documents with the public keys of tokens.
  func keys(_ kind: IdentityRoute.PublishedKeys) async throws -> IdentityAnswer {
    let keys = accounts.signingKeys
    let text = try await blocking {
      switch kind {
      case .certificates: try keys.certificates()
      case .webKeys: try keys.webKeys()
      }
    }
    return .document(text, lifetime: keys.documentLifetime)
  }

  /// The document of OpenID Connect's discovery about a project's tokens.
  func discovery(_ project: String) -> IdentityAnswer {
    let issuer = "https://securetoken.google.com/\(project)"
    let keys =
      accounts.origin
      + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    let document: JSONValue = .object([
      "issuer": .string(issuer),
      "jwks_uri": .string(keys),
      "response_types_supported": .array([.string("id_token")]),
      "subject_types_supported": .array([.string("public")]),
      "id_token_signing_alg_values_supported": .array([.string("RS256")]),
    ])
    return .document(
      String(decoding: document.compactBytes, as: UTF8.self),
      lifetime: accounts.signingKeys.documentLifetime
    )
  }
}
