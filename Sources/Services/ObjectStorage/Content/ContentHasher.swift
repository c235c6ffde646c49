import Checksums
import Crypto

/// The hashes of content, computed as it comes.
package struct ContentHasher: Sendable {
  private(set) var crc = CRC32C()
  private(set) var md5 = Insecure.MD5()
  /// The number of bytes so far.
  package private(set) var size: Int64 = 0

  /// The hashes of nothing.
  package init() {}

  /// Continues the hashes of so much content, both of which were computed beside each other.
  init(_ crc: CRC32C, _ md5: Insecure.MD5, size: Int64) {
    self.crc = crc
    self.md5 = md5
    self.size = size
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer in
      crc.update(buffer)
      md5.update(bufferPointer: buffer)
    }
    size += Int64(bytes.count)
  }

  /// The hashes of the content so far.
  package var hashes: ContentHashes {
    ContentHashes(size: size, crc32c: crc.value, md5: Array(md5.finalize()))
  }
}

/// The size and hashes by which content is known.
package struct ContentHashes: Sendable, Hashable {
  /// The number of bytes.
  package let size: Int64
  /// The CRC-32C (Castagnoli) of all bytes, as a number; clients see it as four big-endian bytes in Base64.
  package let crc32c: UInt32
  /// 16 bytes; nil for what was composed.
  package let md5: [UInt8]?
  /// The tag of content that came by a multipart upload: the MD5 of its parts' MD5s in hexadecimal digits, a hyphen and
  /// the number of parts.
  package var partsTag: String?

  /// Known facts of content.
  package init(size: Int64, crc32c: UInt32, md5: [UInt8]?, partsTag: String? = nil) {
    self.size = size
    self.crc32c = crc32c
    self.md5 = md5
    self.partsTag = partsTag
  }
}

/// The client's claims about the content that it sends; nil is none.
package struct ExpectedContent: Sendable, Hashable {
  /// The number of bytes of the whole content.
  package var size: Int64?
  /// The CRC-32C of the whole content, as a number.
  package var crc32c: UInt32?
  /// 16 bytes.
  package var md5: [UInt8]?

  /// Nothing is expected unless said.
  package init(size: Int64? = nil, crc32c: UInt32? = nil, md5: [UInt8]? = nil) {
    self.size = size
    self.crc32c = crc32c
    self.md5 = md5
  }

  /// Throws where the content is another.
  func check(_ actual: ContentHashes) throws(StorageError) {
    if let size, size != actual.size {
      throw StorageError(
        .invalid,
        "Expected \(size) bytes of content, but received \(actual.size)."
      )
    }
    if let crc32c, crc32c != actual.crc32c {
      throw StorageError(.contentMismatch, "Provided CRC32C does not match the content's.")
    }
    if let md5, md5 != actual.md5 {
      throw StorageError(.contentMismatch, "Provided MD5 hash does not match the content's.")
    }
  }
}
