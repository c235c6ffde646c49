import BaseText

/// The name of a resumable upload, which is also the right to continue it: 32 random letters and
/// digits.
package struct UploadID: Sendable, Hashable {
  /// The 32 characters, as they stand in the upload's URL.
  package let text: Text

  /// An upload's name; nil for what cannot be one.
  package init?(_ text: String) {
    let isSound = text.utf8.allSatisfy { unit in
      (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit) || (0x61...0x7A).contains(unit)
    }
    guard text.utf8.count == 32, isSound else { return nil }
    self.text = Text(text)
  }

  private init(digits: [UInt8]) { text = Text(String(decoding: digits, as: UTF8.self)) }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
  )

  /// A name that cannot be guessed.
  package static func random() -> UploadID {
    var source = SystemRandomNumberGenerator()
    return UploadID(
      digits: (0..<32).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &source)] }
    )
  }
}
