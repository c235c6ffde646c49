import KeyValueStore

// The keys of hosted sites. All begin with 0x80, the first byte of `KeyOwner.hosting`, then the byte of their kind. Names are
// their UTF-8, in which there is no zero byte; numbers are 8 bytes, big-endian.
//
//   0x01 site      name                                    HostedSite, JSON
//   0x02 version   site, 0x00, id                          HostedVersion, JSON
//   0x03 file      site, 0x00, version, 0x00, path         HostedFile
//   0x04 channel   site, 0x00, id                          HostedChannel, JSON
//   0x05 release   site, 0x00, channel, 0x00, time down    HostedRelease, JSON; the newest first
//   0x06 content   SHA-256 of the packed bytes             HostedContent
//   0x07 use       SHA-256, site, 0x00, version            a marker: the version has a file of that content
//   0x08 bytes     SHA-256                                 the packed bytes of small content
//   0x09 domain    host                                    the site's name
//   0x0A part      blob, number                            larger content in the engine: see SharedContent
//   0x0B pending   blob                                    a blob of no content

extension KeyOwner {
  /// Sites, their versions, releases and files; the bytes of larger files are in a directory.
  package static let hosting = KeyOwner("hosting", firstBytes: 0x80...0x8F)
}

/// The keys of sites in the store.
enum HostingKey {
  enum Kind: UInt8 {
    case site = 0x01
    case version = 0x02
    case file = 0x03
    case channel = 0x04
    case release = 0x05
    case content = 0x06
    case use = 0x07
    case bytes = 0x08
    case domain = 0x09
    case part = 0x0A
    case pending = 0x0B
  }

  /// The beginning of all keys of a kind.
  static func prefix(_ kind: Kind) -> [UInt8] {
    [KeyOwner.hosting.firstBytes.lowerBound, kind.rawValue]
  }

  /// A key of names; all but the last end with a zero byte.
  static func key(_ kind: Kind, _ names: String...) -> [UInt8] {
    var bytes = prefix(kind)
    for (index, name) in names.enumerated() {
      if index > 0 { bytes.append(0) }
      bytes += name.utf8
    }
    return bytes
  }

  /// The beginning of all keys below these names.
  static func below(_ kind: Kind, _ names: String...) -> [UInt8] {
    names.reduce(into: prefix(kind)) { bytes, name in
      bytes += name.utf8
      bytes.append(0)
    }
  }

  static func release(_ site: String, _ channel: String, _ time: Int64) -> [UInt8] {
    let down = UInt64.max - UInt64(clamping: time)
    return below(.release, site, channel)
      + (0..<8).map { UInt8(truncatingIfNeeded: down >> (56 - 8 * $0)) }
  }

  static func content(_ kind: Kind, _ hash: ContentHash) -> [UInt8] { prefix(kind) + hash.bytes }

  static func use(_ hash: ContentHash, _ site: String, _ version: String) -> [UInt8] {
    content(.use, hash) + Array(site.utf8) + [0] + Array(version.utf8)
  }
}
