import ArgumentParser
import Foundation

/// The file `export.json` of an export: the contents of the export, its gaps, and if it is
/// complete.
///
/// It is one JSON object. It is written when an export begins, with `isComplete` false, and again when all of it is on the
/// disk. `format` is 1; a version that reads a format refuses newer ones. Exports of version 0.1.0 have no such file.
struct ExportManifest: Codable, Equatable {
  /// A kind of data in the export.
  struct Kind: Codable, Equatable {
    let kind: String
    /// The lines of the kind's files; of a sealed kind its items.
    let lines: Int
    /// True if the kind is under the passphrase.
    let isSealed: Bool
  }

  /// The format that this version writes, and the newest that it reads.
  static let currentFormat = 1
  private static let name = "export.json"

  let format: Int
  /// The version of the program that wrote the export.
  let version: String
  let project: String
  let database: String
  var isComplete = false
  var kinds: [Kind] = []
  /// A sentence for each thing that the export does not have.
  var omissions: [String] = []

  /// An export that begins.
  init(of label: DatabaseLabel) {
    format = Self.currentFormat
    version = ProgramVersion.text
    project = label.project
    database = label.database
  }

  /// The number of a kind's lines that were exported; nil where the export does not have the kind.
  func lines(of kind: String, isSealed: Bool = false) -> Int? {
    kinds.first { $0.kind == kind && $0.isSealed == isSealed }?.lines
  }

  /// Writes the file into an export's directory.
  func write(to directory: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let url = URL(fileURLWithPath: directory, isDirectory: true).appendingPathComponent(Self.name)
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads the file of an export; nil where there is none, refused where its format is newer.
  static func read(from directory: String) throws -> ExportManifest? {
    let root = URL(fileURLWithPath: directory, isDirectory: true)
    let url = root.appendingPathComponent(name)
    guard let bytes = try PlainFile.contents(of: url, below: root) else { return nil }
    struct Format: Decodable { let format: Int }
    do {
      let format = try JSONDecoder().decode(Format.self, from: bytes).format
      guard format <= currentFormat else {
        throw ValidationError(
          "The export at \(directory) has format \(format), and this version reads format "
            + "\(currentFormat). Import it with a newer brasa."
        )
      }
      return try JSONDecoder().decode(ExportManifest.self, from: bytes)
    } catch is DecodingError {
      throw ValidationError(
        "\(url.path) is damaged. Delete the file to import the rest; missing data is not reported then."
      )
    }
  }
}
