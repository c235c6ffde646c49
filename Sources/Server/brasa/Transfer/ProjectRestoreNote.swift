import Foundation

/// The file in a data directory that says that a project is there in part, because its restore has not ended.
///
/// The restore that it names may go on with the project: it writes the same items again. Anybody else is refused, as for every
/// project that there is.
struct ProjectRestoreNote: Codable, Equatable {
  /// The project in the backup.
  let source: String
  /// The last commit that is restored.
  let version: Int64
  /// True from the time at which events were added, which cannot be told from others.
  var hasEvents = false

  private static func path(_ project: String, in directory: String) -> String {
    "\(directory)/restore-of-\(project).json"
  }

  /// The note about a project; nil where no restore of it was cut off.
  static func read(_ project: String, in directory: String) throws -> ProjectRestoreNote? {
    let path = path(project, in: directory)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      return try JSONDecoder().decode(ProjectRestoreNote.self, from: bytes)
    } catch is DecodingError {
      throw CommandFailure("\(path) is damaged. Delete the file, and restore under another id.")
    }
  }

  /// Keeps the note.
  func write(_ project: String, in directory: String) throws {
    let url = URL(fileURLWithPath: Self.path(project, in: directory))
    try JSONEncoder().encode(self).write(to: url, options: .atomic)
  }

  /// Removes the note: the project is whole.
  static func remove(_ project: String, in directory: String) throws {
    try FileManager.default.removeItem(atPath: path(project, in: directory))
  }
}
