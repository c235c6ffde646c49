import Checksums
import Crypto

/// The checksums that clients of S3 send beside content, each in a header or a trailer of its own.
package enum ChecksumAlgorithm: String, Sendable, Hashable, CaseIterable {
  case crc32 = "CRC32"
  case crc32c = "CRC32C"
  case crc64nvme = "CRC64NVME"
  case sha1 = "SHA1"
  case sha256 = "SHA256"

  /// The beginning of the names of all headers with a checksum.
  package static let headerPrefix = "x-amz-checksum-"

  /// The header or trailer that has the checksum in Base64; in lower case.
  package var header: String { Self.headerPrefix + rawValue.lowercased() }

  /// The element of XML that has the checksum of a part.
  package var element: String { "Checksum" + rawValue }

  /// The algorithm of a header's name in lower case; nil for another header.
  package init?(header: String) {
    guard let found = Self.allCases.first(where: { $0.header == header }) else { return nil }
    self = found
  }

  /// The number of bytes of a checksum.
  package var byteCount: Int {
    switch self {
    case .crc32, .crc32c: 4
    case .crc64nvme: 8
    case .sha1: 20
    case .sha256: 32
    }
  }
}

/// A checksum of content, computed as it comes.
package struct ContentChecksum: Sendable {
  private enum State: Sendable {
    case cyclic(CyclicChecksum)
    case castagnoli(CRC32C)
    case sha1(Insecure.SHA1)
    case sha256(SHA256)
  }

  /// Decides the size of the checksum and the header that carries it.
  package let algorithm: ChecksumAlgorithm
  private var state: State

  /// The checksum of nothing.
  package init(_ algorithm: ChecksumAlgorithm) {
    self.algorithm = algorithm
    switch algorithm {
    case .crc32: state = .cyclic(CyclicChecksum(.crc32))
    case .crc32c: state = .castagnoli(CRC32C())
    case .crc64nvme: state = .cyclic(CyclicChecksum(.crc64nvme))
    case .sha1: state = .sha1(Insecure.SHA1())
    case .sha256: state = .sha256(SHA256())
    }
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) {
    switch state {
    case .cyclic(var sum):
      sum.update(bytes)
      state = .cyclic(sum)
    case .castagnoli(var sum):
      sum.update(bytes)
      state = .castagnoli(sum)
    case .sha1(var hash):
      hash.update(data: bytes)
      state = .sha1(hash)
    case .sha256(var hash):
      hash.update(data: bytes)
      state = .sha256(hash)
    }
  }

  /// The checksum of all bytes so far.
  package var bytes: [UInt8] {
    switch state {
    case .cyclic(let sum): sum.bytes
    case .castagnoli(let sum): sum.bytes
    case .sha1(let hash): Array(hash.finalize())
    case .sha256(let hash): Array(hash.finalize())
    }
  }
}
