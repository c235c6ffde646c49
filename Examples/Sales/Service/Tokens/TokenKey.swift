import Crypto
import Foundation

/// The key that tokens are made with: 32 random bytes in a file of their own (mode 0600), so that
/// the database alone gives no token away.
enum TokenKey {
  static func load(besides database: URL?) throws -> SymmetricKey {
    guard let file = database?.appendingPathExtension("key") else {
      return SymmetricKey(size: .bits256)
    }
    if let bytes = try? Data(contentsOf: file), bytes.count == 32 {
      return SymmetricKey(data: bytes)
    }
    let key = SymmetricKey(size: .bits256)
    let bytes = key.withUnsafeBytes { Data($0) }
    guard
      FileManager.default.createFile(
        atPath: file.path,
        contents: bytes,
        attributes: [.posixPermissions: 0o600]
      )
    else { throw CocoaError(.fileWriteUnknown) }
    return key
  }
}
