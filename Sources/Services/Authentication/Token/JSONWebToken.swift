import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import FirestoreModel

/// A token in the compact form of RFC 7519, read strictly; reading checks no signature.
///
/// JWTKit's collections are actors whose every call is `async` and whose parser accepts what two readers
/// could understand differently (a member that comes twice, padded Base64). Requests are identified
/// synchronously on their connection's thread, so tokens are read here and their signatures left to
/// swift-crypto.
package struct JSONWebToken: Sendable {
  /// The reason for refusing a token.
  package enum Problem: Error, Sendable, Hashable {
    case tooLong
    /// Not three parts of unpadded URL-safe Base64, or not JSON objects without repeated members.
    case malformed
    /// `crit` names something that must be understood.
    case critical
    /// Another algorithm than the key's.
    case algorithm
    case unknownKey
    case signature
    case issuer
    case audience
    case subject
    case expired
    case notYetValid
    /// An unsigned token that another process issued, mostly this server before a restart.
    case otherProcess
  }

  /// The JOSE header, a JSON object.
  package let header: JSONValue
  /// The claims, a JSON object.
  package let claims: JSONValue
  /// The signature's bytes; empty for an unsigned token.
  package let signature: [UInt8]
  /// The two parts that the signature covers, with the dot between them.
  package let signed: [UInt8]

  /// The most bytes that a token may have.
  package static let maximumLength = 16 * 1_024

  /// Reads a token.
  package init(parsing token: some StringProtocol) throws(Problem) {
    let bytes = Array(token.utf8)
    guard bytes.count <= Self.maximumLength else { throw .tooLong }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Base64.decodeStrictly(parts[2]), header["alg"]?.string != nil
    else { throw .malformed }
    guard header["crit"] == nil, header["b64"] == nil else { throw .critical }
    self.header = header
    self.claims = claims
    self.signature = signature
    signed = Array(bytes[..<parts[1].endIndex])
  }

  /// The header's `alg`, such as `RS256` or `none`.
  package var algorithm: String { header["alg"]?.string ?? "" }

  /// The key that signed it, as far as the token says.
  package var keyID: String? { header["kid"]?.string }

  /// True if the token claims to need no signature, and has none.
  package var isUnsigned: Bool { algorithm == "none" && signature.isEmpty }

  /// Checks an RS256 signature.
  package func check(_ key: _RSA.Signing.PublicKey) throws(Problem) {
    guard algorithm == "RS256" else { throw .algorithm }
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    let isGood = key.isValidSignature(
      signature,
      for: SHA256.hash(data: signed),
      padding: .insecurePKCS1v1_5
    )
    guard isGood else { throw .signature }
  }

  /// A claim's time in seconds since 1970; nil without the claim, malformed where it is no such time.
  ///
  /// Times after the year 9999 count as its end: sums and differences of times stay within 64 bits, in
  /// microseconds too.
  package func time(_ claim: String) throws(Problem) -> Int64? {
    guard let value = claims[claim] else { return nil }
    guard let time = value.integer, time >= 0 else { throw .malformed }
    return min(time, Timestamp.maximumSeconds)
  }

  /// Checks `exp`, `iat` and `nbf` against a time in seconds; clocks may differ by `leeway`.
  package func checkTimes(at now: Int64, leeway: Int64) throws(Problem) {
    guard let expiry = try time("exp"), let issued = try time("iat") else { throw .malformed }
    guard now < expiry else { throw .expired }
    guard issued <= now + leeway, issued < expiry else { throw .notYetValid }
    if let notBefore = try time("nbf"), notBefore > now + leeway { throw .notYetValid }
  }

  /// Signs claims with RS256.
  package static func signed(
    header: [JSONValue.Member],
    claims: [JSONValue.Member],
    key: _RSA.Signing.PrivateKey
  ) throws -> String {
    let text =
      Base64.url(Array(JSONValue.object(header).compact.utf8)) + "."
      + Base64.url(Array(JSONValue.object(claims).compact.utf8))
    let signature = try key.signature(
      for: SHA256.hash(data: Array(text.utf8)),
      padding: .insecurePKCS1v1_5
    )
    return text + "." + Base64.url(signature.rawRepresentation)
  }

  private static func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
    guard let bytes = Base64.decodeStrictly(part),
      let text = String(validating: bytes, as: UTF8.self),
      let document = try? JSONValue(parsing: text), document.members != nil,
      document.hasUniqueMembers
    else { return nil }
    return document
  }
}
