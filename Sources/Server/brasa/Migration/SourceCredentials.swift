import ArgumentParser
import Authentication
import BaseJSON
import CryptoExtras
import Foundation
import Outbound
import Synchronization

/// The credentials with which a migration reads its source: a service account's key, or the owner of a development server.
final class SourceCredentials: Sendable {
  private struct Account: Sendable {
    let email: String
    let key: _RSA.Signing.PrivateKey
    let keyID: String
    let tokenAddress: URL
  }

  private struct Token: Sendable {
    let text: String
    let renewal: Date
  }

  private let account: Account?
  private let token = Mutex<Token?>(nil)
  private let client: NodeClient

  private static let scope = "https://www.googleapis.com/auth/cloud-platform"
  private static let lifetime = 3_600

  /// Credentials of a key file; without one, the owner of development servers.
  ///
  /// - Parameter origin: The server that is asked for tokens where the key file has no `token_uri`.
  init(keyFile: String?, origin: String?, client: NodeClient) throws {
    self.client = client
    guard let keyFile else {
      account = nil
      return
    }
    let json = try JSONValue(parsing: try TextFile.text(at: keyFile))
    let address = json["token_uri"]?.string ?? origin.map { $0 + "/token" }
    guard let email = json["client_email"]?.string, let pem = json["private_key"]?.string,
      let address, let url = URL(string: address),
      let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem)
    else { throw ValidationError("\(keyFile) is not the key file of a service account.") }
    account = Account(
      email: email,
      key: key,
      keyID: json["private_key_id"]?.string ?? "",
      tokenAddress: url
    )
  }

  /// A token that is valid for some minutes.
  func bearer() async throws -> String {
    guard let account else { return "owner" }
    if let known = token.withLock({ $0 }), known.renewal > Date() { return known.text }
    let now = Int(Date().timeIntervalSince1970)
    let audience = account.tokenAddress.absoluteString
    let assertion = try JSONWebToken.signed(
      header: [
        .init("alg", .string("RS256")), .init("typ", .string("JWT")),
        .init("kid", .string(account.keyID)),
      ],
      claims: [
        .init("iss", .string(account.email)), .init("sub", .string(account.email)),
        .init("scope", .string(Self.scope)), .init("aud", .string(audience)),
        .init("iat", .integer(now)), .init("exp", .integer(now + Self.lifetime)),
      ],
      key: account.key
    )
    let form =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    let message = NodeClient.Message(
      "POST",
      account.tokenAddress.path(),
      headers: [("content-type", "application/x-www-form-urlencoded")],
      body: Array(form.utf8)
    )
    let origin = String(audience.dropLast(account.tokenAddress.path().count))
    let answer = try await client.send(message, to: origin, within: .seconds(30))
    let text = try await SourceServer.text(of: answer.body)
    guard answer.status == 200, let made = try? JSONValue(parsing: text),
      let bearer = made["access_token"]?.string
    else { throw CommandFailure("The source refuses the key: \(text.prefix(300))") }
    let seconds = Double(made["expires_in"]?.integer ?? 3_600)
    token.withLock { $0 = Token(text: bearer, renewal: Date() + max(30, seconds - 300)) }
    return bearer
  }
}
