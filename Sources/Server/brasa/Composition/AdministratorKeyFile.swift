import Access
import BaseText
import Foundation

/// The file that keeps the administrator key's digest, mode 0600.
///
/// An operator who lost the key stops the server, deletes the file and starts again: a new key is
/// created.
struct AdministratorKeyFile {
  let directory: String
  var path: String { directory + "/administrator-key.sha256" }

  /// The file of a data directory.
  init(directory: String) { self.directory = directory }

  /// The key; `generated` is its text when this call made it, to be shown once.
  func load() throws -> (key: AdministratorKey, generated: String?) {
    if let text = try? String(contentsOfFile: path, encoding: .utf8) {
      guard
        let digest = Hexadecimal.bytes(text.trimmingCharacters(in: .whitespacesAndNewlines)),
        digest.count == 32
      else {
        throw ControlError.malformed("\(path) does not hold a SHA-256 digest")
      }
      return (AdministratorKey(digest: digest), nil)
    }
    var random = SystemRandomNumberGenerator()
    let secret = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    let text = "brasa-admin-" + Hexadecimal.text(secret)
    let key = AdministratorKey(text)
    try write(Hexadecimal.text(key.digest) + "\n")
    return (key, text)
  }

  private func write(_ text: String) throws {
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard
      FileManager.default.createFile(
        atPath: path,
        contents: Data(text.utf8),
        attributes: attributes
      )
    else { throw ControlError.malformed("\(path) cannot be written") }
  }
}
