import BaseText
import Crypto

/// A request in the one spelling that is signed.
package struct CanonicalRequest: Sendable {
  /// The payload of a request whose body is not signed.
  package static let unsignedPayload = "UNSIGNED-PAYLOAD"

  /// The lines of the request.
  package let text: String

  /// Spells a request.
  ///
  /// - Parameters:
  ///   - path: Encoded, as it is sent.
  ///   - parameters: Those of the query, decoded, without the signature.
  ///   - headers: Those that are signed; names in lower case.
  ///   - payloadHash: The body's SHA-256 in hexadecimal, or `unsignedPayload`.
  package init(
    method: String,
    path: String,
    parameters: [(name: String, value: String)],
    headers: [String: String],
    payloadHash: String
  ) {
    let names = headers.keys.sorted()
    let query = parameters.map {
      (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value))
    }
    .sorted { $0 < $1 }
    .map { "\($0.0)=\($0.1)" }
    let lines = names.map { "\($0):\(Self.value(headers[$0] ?? ""))" }
    let parts =
      [method, path.isEmpty ? "/" : path, query.joined(separator: "&")] + lines
      + ["", names.joined(separator: ";"), payloadHash]
    text = parts.joined(separator: "\n")
  }

  /// The text that is signed for it.
  package func stringToSign(algorithm: String, time: BasicTime, scope: CredentialScope) -> String {
    let hash = Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
    return "\(algorithm)\n\(time.text)\n\(scope.text)\n\(hash)"
  }

  /// A header's value without spaces around it and with single ones inside.
  private static func value(_ value: String) -> String {
    value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }
}

/// The keys that are derived from a shared secret.
package enum DerivedKey {
  /// The signature of a text by a secret, for a scope.
  package static func signature(
    of text: String,
    secret: String,
    scope: CredentialScope,
    _ dialect: SignatureDialect
  ) -> [UInt8] {
    var key = Array((dialect.prefix + secret).utf8)
    for part in [scope.date, scope.region, scope.service, scope.terminator, text] {
      let code = HMAC<SHA256>.authenticationCode(
        for: Array(part.utf8),
        using: SymmetricKey(data: key)
      )
      key = Array(code)
    }
    return key
  }
}
