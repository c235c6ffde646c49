import BaseJSON
import BaseText

extension Accounts {
  /// Seconds for which a token of `eventToken` is valid.
  private static let eventTokenLifetime: Int64 = 300

  /// A token by which a receiver of events knows that a project of this server sent them: RS256, by the key of users'
  /// tokens, whose certificates everybody can read.
  ///
  /// Its issuer is none of users' tokens, so nothing here takes it for one.
  package func eventToken(project: Text, audience: String) throws -> String {
    let issued = configuration.clock.now() / 1_000_000
    let key = try signingKeys.signer()
    return try JSONWebToken.signed(
      header: [
        .init("alg", .string("RS256")), .init("kid", .string(key.id)), .init("typ", .string("JWT")),
      ],
      claims: [
        .init("iss", .string("https://events.brasa/\(project.string)")),
        .init("aud", .string(audience)), .init("sub", .string("events")),
        .init("iat", .integer(issued)), .init("exp", .integer(issued + Self.eventTokenLifetime)),
      ],
      key: key.privateKey
    )
  }
}
