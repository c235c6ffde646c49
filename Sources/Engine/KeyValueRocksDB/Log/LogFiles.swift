import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The files of an engine's log: those that the library has in use, and those that it has moved to `archive`.
///
/// Numbers ascend in the order of writing. A file moves to the archive at any moment, once.
struct LogFiles: Sendable {
  let directory: String

  private var archive: String { directory + "/archive" }

  /// The numbers of all files, ascending.
  func numbers() throws -> [Int] {
    // In this order: a file that moves between the two looks is in the second.
    let used = try SystemFile.names(in: directory)
    let archived = (try? SystemFile.names(in: archive)) ?? []
    return Set((used + archived).compactMap(Self.number)).sorted()
  }

  /// Opens a file to be read; nil where it is gone.
  func open(_ number: Int) -> Int32? {
    for folder in [directory, archive, directory] {
      let descriptor = SystemFile.openDescriptor(Self.path(number, in: folder), O_RDONLY)
      if descriptor >= 0 { return descriptor }
    }
    return nil
  }

  /// The bytes of the files in the archive.
  func archivedBytes() -> Int {
    let numbers = ((try? SystemFile.names(in: archive)) ?? []).compactMap(Self.number)
    return numbers.reduce(0) { $0 + ((try? SystemFile.size(Self.path($1, in: archive))) ?? 0) }
  }

  /// Removes the archive's files with lower numbers.
  func removeArchived(before limit: Int) throws {
    for name in (try? SystemFile.names(in: archive)) ?? [] {
      guard let number = Self.number(of: name), number < limit else { continue }
      try SystemFile.remove("\(archive)/\(name)")
    }
  }

  private static func number(of name: String) -> Int? {
    name.hasSuffix(".log") ? Int(name.dropLast(4)) : nil
  }

  private static func path(_ number: Int, in folder: String) -> String {
    let digits = String(number)
    return folder + "/" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".log"
  }
}
