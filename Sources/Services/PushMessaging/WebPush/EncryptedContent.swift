import Crypto
import Foundation

// A body in the content encoding "aes128gcm" (RFC 8188):
//
//     salt (16) | record size (4, big endian) | length of the key's id (1) | key's id | records
//
// A record is AES-128-GCM of its share of the content, one delimiter byte (2 in the last record, 1 in all
// others) and zeros as padding. All records but the last are as long as the record size says, tag of
// 16 bytes included. Key and nonce come from the input key and the salt by HKDF with SHA-256; the number of a
// record is added to the nonce by XOR. A body is valid when every record opens and the last one, and only
// that one, has the last delimiter, so nothing can be cut off.

/// The content encoding "aes128gcm" of one body: its key and how its bytes are arranged.
struct EncryptedContent: Sendable {
  /// The fault of a body.
  enum Problem: Error, Equatable {
    /// The header is cut off, or the record size is one that holds nothing.
    case malformedHeader
    /// A record is cut off, has another key, or was changed.
    case unauthenticRecord
    /// A record's delimiter is missing, or the last one's is not at the end.
    case misplacedDelimiter
  }

  static let tagLength = 16
  static let saltLength = 16

  /// The bytes in front of the records.
  struct Header: Sendable, Equatable {
    let salt: [UInt8]
    let recordSize: Int
    let keyID: [UInt8]

    /// The number of bytes that the header takes.
    var length: Int { EncryptedContent.saltLength + 5 + keyID.count }

    /// A header of these values; the key's id has at most 255 bytes.
    init(salt: [UInt8], recordSize: Int, keyID: [UInt8]) {
      precondition(salt.count == EncryptedContent.saltLength && keyID.count < 256)
      self.salt = salt
      self.recordSize = recordSize
      self.keyID = keyID
    }

    /// Reads the header of a body.
    init(reading body: [UInt8]) throws(Problem) {
      let fixed = EncryptedContent.saltLength + 5
      guard body.count >= fixed, body.count >= fixed + Int(body[fixed - 1]) else {
        throw .malformedHeader
      }
      salt = Array(body[..<EncryptedContent.saltLength])
      recordSize = body[EncryptedContent.saltLength..<fixed - 1].reduce(0) { $0 << 8 | Int($1) }
      keyID = Array(body[fixed..<fixed + Int(body[fixed - 1])])
      // A delimiter and the tag need 17 bytes; RFC 8188 wants room for content too.
      guard recordSize > EncryptedContent.tagLength + 1 else { throw .malformedHeader }
    }

    var bytes: [UInt8] {
      var bytes = salt
      bytes += stride(from: 24, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: recordSize >> $0)
      }
      bytes.append(UInt8(keyID.count))
      return bytes + keyID
    }
  }

  let header: Header
  private let key: SymmetricKey
  private let nonce: [UInt8]

  /// The encoding with the key that follows from `inputKey` and the header's salt.
  init(header: Header, inputKey: some ContiguousBytes) {
    self.header = header
    let input = SymmetricKey(data: inputKey)
    key = Self.derived(input, header.salt, "Content-Encoding: aes128gcm", 16)
    nonce = Self.derived(input, header.salt, "Content-Encoding: nonce", 12)
      .withUnsafeBytes { Array($0) }
  }

  private static func derived(
    _ input: SymmetricKey,
    _ salt: [UInt8],
    _ label: String,
    _ length: Int
  ) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: input,
      salt: salt,
      info: Array(label.utf8) + [0],
      outputByteCount: length
    )
  }

  /// The whole body that holds the content, in as many records as it takes.
  func sealed(_ content: [UInt8]) throws -> [UInt8] {
    let share = header.recordSize - Self.tagLength - 1
    var body = header.bytes
    var start = 0
    var number: UInt64 = 0
    repeat {
      let end = min(start + share, content.count)
      let record = content[start..<end] + [end == content.count ? 2 : 1]
      let box = try AES.GCM.seal(record, using: key, nonce: AES.GCM.Nonce(data: nonce(number)))
      body += box.ciphertext
      body += box.tag
      start = end
      number += 1
    } while start < content.count
    return body
  }

  /// The content of a body that begins with this header.
  func opened(_ body: [UInt8]) throws(Problem) -> [UInt8] {
    var content: [UInt8] = []
    var start = header.length
    var number: UInt64 = 0
    guard start < body.count else { throw .unauthenticRecord }
    while start < body.count {
      let end = min(start + header.recordSize, body.count)
      let record = try opened(body[start..<end], number)
      guard let position = record.lastIndex(where: { $0 != 0 }),
        record[position] == (end == body.count ? 2 : 1)
      else { throw .misplacedDelimiter }
      content += record[..<position]
      start = end
      number += 1
    }
    return content
  }

  private func opened(
    _ record: ArraySlice<UInt8>,
    _ number: UInt64
  ) throws(Problem) -> [UInt8] {
    guard record.count > Self.tagLength else { throw .unauthenticRecord }
    do {
      let box = try AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: nonce(number)),
        ciphertext: record.dropLast(Self.tagLength),
        tag: record.suffix(Self.tagLength)
      )
      return try Array(AES.GCM.open(box, using: key))
    } catch {
      throw .unauthenticRecord
    }
  }

  private func nonce(_ number: UInt64) -> [UInt8] {
    var nonce = nonce
    for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return nonce
  }
}
