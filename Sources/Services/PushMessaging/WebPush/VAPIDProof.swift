import BaseJSON
import BaseText
import Crypto
import Foundation

/// The `Authorization` header with which a sender proves its identity to a push service (RFC 8292):
/// `vapid t=<token>, k=<key>`.
package struct VAPIDProof: Sendable {
  /// The sender's public key: an uncompressed point of 65 bytes.
  package let publicKey: [UInt8]
  private let signed: String
  private let signature: [UInt8]
  private let claims: JSONValue

  /// The furthest that a token's end may lie ahead, in seconds: a day (RFC 8292, 2), and the
  /// difference of clocks.
  private static let longest: Int64 = 24 * 3_600 + 300
  private static let headerLimit = 4_096

  /// Reads a header; nil for one of another scheme or form.
  package init?(_ header: String) {
    guard header.utf8.count <= Self.headerLimit, header.lowercased().hasPrefix("vapid ") else {
      return nil
    }
    let pairs = header.dropFirst(6).split(separator: ",").compactMap { part in
      let (name, value) = Self.pair(part)
      return value.map { (name, $0) }
    }
    let fields = Dictionary(pairs) { first, _ in first }
    let parts = (fields["t"] ?? "").split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let key = fields["k"].flatMap({ Base64.decodeStrictly($0.utf8) }),
      let head = Self.json(parts[0]), head["alg"]?.string == "ES256",
      let claims = Self.json(parts[1]), let signature = Base64.decodeStrictly(parts[2].utf8)
    else { return nil }
    publicKey = key
    signed = "\(parts[0]).\(parts[1])"
    self.signature = signature
    self.claims = claims
  }

  private static func pair(_ text: Substring) -> (name: String, value: String?) {
    let parts = text.split(separator: "=", maxSplits: 1).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    return (parts.first ?? "", parts.count == 2 ? parts[1] : nil)
  }

  private static func json(_ part: Substring) -> JSONValue? {
    guard let bytes = Base64.decodeStrictly(part.utf8) else { return nil }
    return try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns true if the key signed a token for one of those origins, as
  /// `https://push.example.org`, that is valid at `now`, in seconds since 1970.
  package func isValid(for origins: Set<String>, now: Int64) -> Bool {
    guard let audience = claims["aud"]?.string, origins.contains(audience),
      let end = claims["exp"]?.integer, end > now, end - now <= Self.longest,
      let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: Array(signed.utf8))
  }
}
