import BaseText
import Foundation
import KeyValueStore

/// A site: files under a host name of its own.
package struct HostedSite: Codable, Sendable, Hashable {
  /// Unique on the server: the first label of the site's host.
  package let name: String
  /// The id of the project that the site belongs to.
  package let project: String
  /// Microseconds since 1970.
  package let createdAt: Int64
  /// The web app that the site is linked with; nil without one.
  package var appID: String?

  /// A site that the first deployment of its project makes.
  package static func unmade(_ name: String, of project: String) -> HostedSite {
    HostedSite(name: name, project: project, createdAt: 0, appID: nil)
  }
}

/// A set of files with the rules by which they are served; nothing of it changes once it is finalized.
package struct HostedVersion: Codable, Sendable, Hashable {
  /// The stages of a version.
  package enum Status: String, Codable, Sendable {
    case created = "CREATED"
    case finalized = "FINALIZED"
    case abandoned = "ABANDONED"
    case deleted = "DELETED"
  }

  /// 16 hexadecimal digits, unique in the site.
  package let id: String
  /// The name of the site.
  package let site: String
  /// Files are added while it is created, and it is released once it is finalized.
  package var status: Status
  /// The rules in the form of Google's API, as JSON.
  package var config: String
  /// Texts of the client's.
  package var labels: [String: String]
  /// Microseconds since 1970.
  package let createdAt: Int64
  /// Microseconds since 1970; nil before.
  package var finalizedAt: Int64?
  /// Files in it, counted when it is finalized.
  package var fileCount: Int
  /// Packed bytes of its files, counted when it is finalized.
  package var byteCount: Int64
  /// The maker, for people.
  package var author: String
}

/// A version put before visitors.
package struct HostedRelease: Codable, Sendable, Hashable {
  /// The reasons for which a channel shows something else.
  package enum Kind: String, Codable, Sendable {
    case deploy = "DEPLOY"
    case rollback = "ROLLBACK"
    case siteDisable = "SITE_DISABLE"
  }

  /// The release's time in microseconds, unique in its channel.
  package let id: String
  /// The version's id; nil where the site was disabled.
  package let version: String?
  /// The kind of the change.
  package let kind: Kind
  /// A note of its creator.
  package let message: String
  /// Microseconds since 1970.
  package let time: Int64
  /// The maker, for people.
  package let author: String
}

/// A place where a site shows one of its versions: `live`, or a preview that may end.
package struct HostedChannel: Codable, Sendable, Hashable {
  /// The channel of the site's own host.
  package static let live = "live"

  /// Unique in the site.
  package let id: String
  /// Microseconds since 1970.
  package let createdAt: Int64
  /// Microseconds since 1970.
  package var updatedAt: Int64
  /// Microseconds since 1970; nil for a channel that does not end.
  package var expiresAt: Int64?
  /// The first label of the channel's host.
  package let label: String
  /// The release that it shows; nil before the first.
  package var release: HostedRelease?
}

/// The SHA-256 of a file's packed bytes, by which clients know content.
package struct ContentHash: Sendable, Hashable {
  /// 32 bytes.
  package let bytes: [UInt8]

  /// A hash of 32 bytes; nil for another length.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == 32 else { return nil }
  }

  /// A hash by its hexadecimal text; nil for any other text.
  package init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap(Hexadecimal.digit)
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// 64 hexadecimal digits.
  package var text: String { Hexadecimal.text(bytes) }
}

/// The record of content that was uploaded.
struct HostedContent: Codable, Sendable {
  /// Packed bytes.
  let size: Int64
  /// Bytes that come out of it.
  let unpackedSize: Int64
  /// The blob that has the bytes; nil where they are beside the record.
  let blob: String?
  /// True if the blob's bytes are in the engine, in parts; else it is a file of the directory.
  var isShared: Bool?
}

/// Reads and writes the records that are JSON.
enum HostingRecord {
  static func bytes(_ record: some Encodable) throws -> [UInt8] {
    Array(try JSONEncoder().encode(record))
  }

  static func read<Record: Decodable>(_ bytes: [UInt8], as type: Record.Type) throws -> Record {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw KeyValueError(.corruption, "A record of hosting is damaged: \(error)")
    }
  }
}

extension KeyValueReader {
  func hosted<Record: Decodable>(_ key: [UInt8], as type: Record.Type) throws -> Record? {
    try get(key).map { try HostingRecord.read($0, as: type) }
  }

  /// The records below a prefix, `limit` at most.
  func hosted<Record: Decodable>(
    below prefix: [UInt8],
    as type: Record.Type,
    limit: Int = .max
  ) throws -> [Record] {
    let cursor = try cursor(over: KeyRange(prefix: prefix), reversed: false)
    var found: [Record] = []
    while found.count < limit, try cursor.next() {
      found.append(try HostingRecord.read(Array(cursor.value), as: type))
    }
    return found
  }
}
