import BaseText
import Crypto
import Foundation
import Gzip

/// Writes and reads a backup's objects.
///
/// **Layout.** `BRASABK1`, the length of the head (4 bytes, little-endian), the head as JSON, the body. With a key the body is
/// what AES-GCM makes of the content: nonce, ciphertext and tag, with all before it authenticated. The AES key is derived from
/// the operator's and the head's salt, 32 random bytes an object, so no key ever has two nonces. Without a key the body is the
/// content and the SHA-256 of all before.
///
/// **Validity.** The head names the server and the object; an object under another name, of another server or with a changed
/// byte is refused. The content is packed by gzip where the head says so.
package struct ObjectCodec: Sendable {
  /// The head of an object.
  private struct Head: Codable {
    var server: String
    var name: String
    /// The key's fingerprint; nil is without a key.
    var key: String?
    var salt: String?
    var packed: Bool
    var segment: SegmentHead?
  }

  private static let magic = Array("BRASABK1".utf8)
  private static let largestContent: Int64 = 1 << 31

  /// The server whose objects these are.
  package let server: String
  private let key: BackupKey?

  /// A codec of a server's objects; without a key they are readable for everyone.
  package init(server: String, key: BackupKey?) {
    self.server = server
    self.key = key
  }

  /// The bytes of an object.
  package func encode(
    _ name: String,
    _ content: [UInt8],
    packing: Bool,
    segment: SegmentHead? = nil
  ) throws -> [UInt8] {
    var head = Head(server: server, name: name, packed: packing, segment: segment)
    var objectKey: SymmetricKey?
    if let key {
      let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
      head.key = key.fingerprint
      head.salt = Hexadecimal.text(salt)
      objectKey = key.key(salt: salt)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try Array(encoder.encode(head))
    let length = withUnsafeBytes(of: UInt32(text.count).littleEndian) { Array($0) }
    var bytes = Self.magic + length + text
    let content = packing ? GzipWriter.packed(content, effort: .quick) : content
    if let objectKey {
      let box = try AES.GCM.seal(content, using: objectKey, authenticating: bytes)
      bytes += box.nonce
      bytes += box.ciphertext
      bytes += box.tag
    } else {
      bytes += content
      bytes += SHA256.hash(data: bytes)
    }
    return bytes
  }

  /// The content of an object that was read under a name.
  package func decode(
    _ name: String,
    _ bytes: [UInt8]
  ) throws -> (content: [UInt8], segment: SegmentHead?) {
    let start = Self.magic.count + 4
    guard bytes.count >= start, bytes.starts(with: Self.magic) else { throw Self.damage(name) }
    let length = bytes[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count - start,
      let head = try? JSONDecoder().decode(Head.self, from: Data(bytes[start..<(start + length)]))
    else { throw Self.damage(name) }
    guard head.name == name, head.server == server else { throw Self.damage(name) }
    let content = try open(head, bytes, start + length, name)
    guard head.packed else { return (content, head.segment) }
    guard let unpacked = try? GzipReader.unpacked(content, limit: Self.largestContent) else {
      throw Self.damage(name)
    }
    return (unpacked, head.segment)
  }

  private func open(_ head: Head, _ bytes: [UInt8], _ end: Int, _ name: String) throws -> [UInt8] {
    guard let fingerprint = head.key else {
      // The holder of a key accepts nothing that anyone else may have written.
      guard key == nil, bytes.count >= end + 32,
        SHA256.hash(data: bytes[..<(bytes.count - 32)]) == bytes[(bytes.count - 32)...]
      else { throw Self.damage(name) }
      return Array(bytes[end..<(bytes.count - 32)])
    }
    guard let key, key.fingerprint == fingerprint else { throw Self.wrongKey }
    guard let salt = head.salt.flatMap(BackupKey.bytes(ofHexadecimal:)), salt.count == 32,
      bytes.count >= end + 28,
      let nonce = try? AES.GCM.Nonce(data: bytes[end..<(end + 12)]),
      let box = try? AES.GCM.SealedBox(
        nonce: nonce,
        ciphertext: bytes[(end + 12)..<(bytes.count - 16)],
        tag: bytes[(bytes.count - 16)...]
      ),
      let content = try? AES.GCM.open(
        box,
        using: key.key(salt: salt),
        authenticating: bytes[..<end]
      )
    else { throw Self.damage(name) }
    return Array(content)
  }

  static func damage(_ name: String) -> BackupError {
    BackupError(.damaged, "\(name) of the backup is damaged.")
  }

  static let wrongKey = BackupError(
    .wrongKey,
    "The key does not decrypt this backup. Pass the server's key file with --backup-key."
  )
}
