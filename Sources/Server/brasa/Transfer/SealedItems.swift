import ArgumentParser
import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import Foundation

// Secrets of an export, a kind in a folder of its name below `secrets`, in the file `sealed.jsonl`:
//
//   {"format": "brasa-sealed 1", "kind": "second-factors", "salt": "…"}
//   {"last": false, "sealed": "…"}
//   {"last": true, "sealed": "…"}
//
// Bytes are base64url. A part is lines of JSON, 256 KiB about, under AES-256-GCM: `sealed` is the
// encrypted data and a tag of 16 bytes, the nonce is the part's number from 0 in 12 bytes,
// big-endian. The key is HKDF-SHA256 of a main key with the kind as its info. The main key is 32
// bytes of scrypt (N 2^16, r 8, p 1) of the passphrase and the salt, 16 random bytes that no two
// exports share. A part authenticates format, kind, number and `last`, so that parts can be neither
// exchanged, moved, repeated nor left out. A file is valid where each part opens and the last one
// says so.

/// The keys of sealed kinds, by passphrase.
final class SealingKeys {
  private let passphrase: String
  private var mainKeys: [[UInt8]: SymmetricKey] = [:]
  /// The salt of the encrypted data.
  let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }

  /// Keys of a passphrase.
  init(passphrase: String) { self.passphrase = passphrase }

  /// The key of a kind; scrypt takes a moment, once for each salt.
  func key(of kind: String, salt: [UInt8]) throws -> SymmetricKey {
    let main = try mainKeys[salt] ?? SealedSecrets.key(of: passphrase, salt: salt)
    mainKeys[salt] = main
    return HKDF<SHA256>.deriveKey(
      inputKeyMaterial: main,
      info: Array("\(SealedPart.format)\n\(kind)".utf8),
      outputByteCount: 32
    )
  }
}

/// A part's number, which decides its nonce, and what it authenticates.
private struct SealedPart {
  static let format = "brasa-sealed 1"

  let kind: String
  let number: UInt64
  let isLast: Bool

  var nonce: AES.GCM.Nonce {
    get throws {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
      return try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 4) + bytes)
    }
  }

  var authenticated: [UInt8] {
    Array("\(Self.format)\n\(kind)\n\(number)\n\(isLast ? "last" : "more")".utf8)
  }
}

/// Items that are sealed a part at a time.
final class SealedSink: ExportSink {
  private static let partBytes = 256 << 10
  private static let file = "sealed"

  private let directory: ExportDirectory
  private let kind: String
  private let key: SymmetricKey
  private var pending: [UInt8] = []
  private var number: UInt64 = 0
  private(set) var lineCount = 0

  /// Items of a kind, in a directory that is made.
  init(_ kind: String, _ keys: SealingKeys, creating path: String) throws {
    directory = try ExportDirectory(creating: path)
    self.kind = kind
    key = try keys.key(of: kind, salt: keys.salt)
    try write([
      .init("format", .string(SealedPart.format)), .init("kind", .string(kind)),
      .init("salt", .string(Base64.url(keys.salt))),
    ])
  }

  func take(_ item: [UInt8], of file: String) throws {
    pending += item
    pending.append(0x0A)
    lineCount += 1
    if pending.count >= Self.partBytes { try seal(isLast: false) }
  }

  func close() throws {
    try seal(isLast: true)
    try directory.close()
  }

  private func seal(isLast: Bool) throws {
    let part = SealedPart(kind: kind, number: number, isLast: isLast)
    let box = try AES.GCM.seal(
      pending,
      using: key,
      nonce: try part.nonce,
      authenticating: part.authenticated
    )
    try write([
      .init("last", .boolean(isLast)),
      .init("sealed", .string(Base64.url(Array(box.ciphertext) + Array(box.tag)))),
    ])
    number += 1
    pending.removeAll(keepingCapacity: true)
  }

  private func write(_ members: [JSONValue.Member]) throws {
    try directory.append(JSONValue.object(members).compactBytes, to: Self.file)
  }
}

/// The items of a sealed kind.
final class SealedSource: ImportSource {
  private let lines: ImportLines
  private let kind: String
  private let keys: SealingKeys
  private var key: SymmetricKey?
  private var number: UInt64 = 0
  private var isOver = false
  private var items: [[UInt8]] = []
  private(set) var lineCount = 0
  let drops: [String] = []

  /// The sealed items of a kind in a directory; a link below `root` is refused.
  init(_ kind: String, _ keys: SealingKeys, _ path: String, below root: String) throws {
    lines = try ImportLines(directory: path, below: root)
    self.kind = kind
    self.keys = keys
  }

  var bytesRead: Int { lines.bytesRead }
  var bytesTotal: Int { lines.bytesTotal }

  func next() throws -> [UInt8]? {
    while items.isEmpty {
      guard !isOver else { return nil }
      try open()
    }
    lineCount += 1
    return items.removeLast()
  }

  /// Opens every part, so that nothing of damaged data is imported.
  func check() throws { while try next() != nil {} }

  private func open() throws {
    guard let line = try lines.next() else { throw SealedSecrets.Problem.cutOff(kind) }
    guard let json = try? JSONValue(parsing: String(decoding: line, as: UTF8.self)) else {
      throw key == nil ? SealedSecrets.Problem.malformed : .cutOff(kind)
    }
    guard let key else { return try begin(json) }
    guard let isLast = json["last"]?.boolean,
      let sealed = json["sealed"]?.string.flatMap({ Base64.decode($0) }), sealed.count >= 16
    else { throw SealedSecrets.Problem.malformed }
    let part = SealedPart(kind: kind, number: number, isLast: isLast)
    let bytes: [UInt8]
    do {
      let box = try AES.GCM.SealedBox(
        nonce: try part.nonce,
        ciphertext: sealed.dropLast(16),
        tag: sealed.suffix(16)
      )
      bytes = Array(try AES.GCM.open(box, using: key, authenticating: part.authenticated))
    } catch {
      throw number == 0 ? SealedSecrets.Problem.wrongPassphrase : .damaged(kind)
    }
    number += 1
    isOver = isLast
    items = bytes.split(separator: 0x0A).reversed().map { Array($0) }
  }

  private func begin(_ json: JSONValue) throws {
    guard json["format"]?.string == SealedPart.format, json["kind"]?.string == kind,
      let salt = json["salt"]?.string.flatMap({ Base64.decode($0) }), salt.count == 16
    else { throw SealedSecrets.Problem.malformed }
    key = try keys.key(of: kind, salt: salt)
  }
}
