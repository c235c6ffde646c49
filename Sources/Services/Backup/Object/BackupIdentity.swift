import Foundation

/// The object `brasa-backup.json` of a target, readable for everybody: whose backup it is.
package struct BackupIdentity: Codable, Sendable, Equatable {
  static let name = "brasa-backup.json"
  static let currentFormat = 1

  /// The version of the objects' form.
  var format = currentFormat
  /// The server's id, which its data directory keeps.
  package let server: String
  /// The machine and directory, to tell an operator.
  package let home: String
  /// The fingerprint of the key; nil without encryption.
  package let key: String?

  /// The identity that a target has; nil where it has none.
  package static func read(_ target: any BackupTarget) async throws -> BackupIdentity? {
    guard let bytes = try await target.get(name) else { return nil }
    guard let identity = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
      throw BackupError(.damaged, "\(name) of \(target.address) is damaged.")
    }
    guard identity.format <= currentFormat else {
      throw BackupError(
        .refused,
        "A newer version of Brasa has written the backup at \(target.address). Use that version."
      )
    }
    return identity
  }

  var bytes: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
      return try Array(encoder.encode(self))
    }
  }

  /// Throws unless a codec with that key opens the backup.
  package func check(_ key: BackupKey?) throws {
    if self.key != nil, key == nil {
      throw BackupError(.wrongKey, "This backup is encrypted. Name its key file with --backup-key.")
    }
    guard self.key == key?.fingerprint else {
      if self.key == nil {
        throw BackupError(.wrongKey, "This backup is not encrypted. Leave out --backup-key.")
      }
      throw ObjectCodec.wrongKey
    }
  }
}
