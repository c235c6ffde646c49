import Crypto
import Foundation

/// Random tokens, what is stored of them, and the comparison that leaks nothing.
package enum Secret {
  /// 256 random bits as text that fits a header, a cookie and a URL.
  package static func token() -> String {
    SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns the digest that a database keeps instead of a token: a reader of the database cannot
  /// use it.
  package static func digest(_ token: String) -> String {
    SHA256.hash(data: Data(token.utf8)).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    .joined()
  }

  /// Compares without telling by its duration where the difference is.
  package static func isEqual(_ left: Data, _ right: Data) -> Bool {
    SHA256.hash(data: left) == SHA256.hash(data: right)
  }
}
