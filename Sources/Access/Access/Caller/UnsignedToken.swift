import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel

/// The claims of a JSON web token whose signature nobody checks: development mode's credentials, as
/// the emulator takes them, written by hand in a test.
///
/// Three parts of base64 without padding, joined by points: a header, the claims, a signature. The
/// user is the claim `sub`; `exp` does not count.
package struct UnsignedToken: Sendable {
  /// The user that the claims name.
  package let identity: UserIdentity
  /// True of a token that claims to be issued by a server: it is signed, or names a session as a development server's unsigned
  /// tokens do.
  package let isIssued: Bool

  /// Reads a token; throws INVALID_ARGUMENT for any other text.
  package init(_ token: Substring) throws(ServiceError) {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = try Self.object(parts[0]),
      let claims = try Self.object(parts[1]), case .string(let uid)? = claims["sub"],
      !uid.isEmpty
    else { throw Self.invalid }
    var project = Text("")
    if case .string(let audience)? = claims["aud"] { project = audience }
    identity = UserIdentity(
      project: project,
      uid: uid,
      claims: claims,
      expiry: Self.seconds(claims["exp"]) ?? .max,
      issued: Self.seconds(claims["iat"]) ?? 0,
      isSigned: false
    )
    isIssued = header["alg"] != .string("none") || header["ses"] != nil
  }

  private static let invalid = ServiceError.invalidArgument("invalid jwt")

  private static func object(
    _ part: Substring.UTF8View.SubSequence
  ) throws(ServiceError) -> MapValue? {
    guard let bytes = Base64.decode(part), let text = String(validating: bytes, as: UTF8.self),
      let json = try? JSONValue(parsing: text), case .map(let map) = json.value
    else { return nil }
    return map
  }

  private static func seconds(_ value: Value?) -> Int64? {
    switch value {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number.rounded(.down))
    default: nil
    }
  }
}
