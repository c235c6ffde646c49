import BaseText
import Crypto

/// The tokens by which back ends name registrations: the installation's id, a colon, and what cannot be guessed.
///
/// Only their hashes are kept.
enum RegistrationToken {
  /// A version, eight bytes that the project gives, and sixteen random ones.
  static func make(installation: String, project: Text, random: [UInt8]) -> String {
    let mark = Array(SHA256.hash(data: Array(project.string.utf8))).prefix(8)
    return "\(installation):\(Base64.url([1] + mark + random))"
  }

  static func hash(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }

  /// Returns true if a text could be the id of an installation, which back ends may name in place
  /// of a token.
  static func isInstallation(_ text: String) -> Bool {
    text.utf8.count == 22 && !text.contains(":") && "cdef".contains(text.prefix(1))
      && isWellFormed("\(text):x")
  }

  /// Returns true if a text could be a token of ours or of Google's.
  static func isWellFormed(_ token: String) -> Bool {
    guard token.utf8.count <= 4_096, let colon = token.firstIndex(of: ":") else { return false }
    let parts = [token[..<colon], token[token.index(after: colon)...]]
    return parts.allSatisfy(\.isURLSafe)
  }
}

extension StringProtocol {
  /// True if it has letters, digits, `-` and `_` only, and one of them at least.
  var isURLSafe: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
