import Foundation

/// The object `lists/N`: the files beside the engines as they were from an instant on.
struct FileList: Codable, Sendable, Equatable {
  /// A file, whose bytes are in parts like those of tables.
  struct File: Codable, Sendable, Equatable {
    /// The path below the data directory.
    let path: String
    let size: Int
    /// Nanoseconds since 1970, by which a file that did not change is known.
    let modified: Int64
    let isExecutable: Bool
    /// The name that its parts have in the target, without their numbers.
    let object: String
    let parts: Int

    /// A file is replaced and never changed: one of the same path, size and time is the same.
    var key: String { "\(path) \(size) \(modified)" }
  }

  /// Counts from 1.
  let number: Int
  /// Microseconds since 1970 of the last change.
  let instant: Int64
  /// The state of the folders, by which a change is known.
  let mark: [String: Int64]
  let files: [File]

  static let folder = "lists/"
  static let objects = "files/"
  static func name(_ number: Int) -> String { folder + SegmentHead.padded(number, 9) }
}

extension BackupArchive {
  /// The numbers of the lists of files, ascending.
  func fileLists() async throws -> [Int] {
    try await target.list(FileList.folder).compactMap { entry in
      entry.name.split(separator: "/").last.flatMap { Int($0) }
    }.sorted()
  }

  /// A list of files by its number.
  func files(_ number: Int) async throws -> FileList {
    let content = try await content(FileList.name(number))
    guard let list = try? JSONDecoder().decode(FileList.self, from: Data(content)),
      list.number == number
    else { throw ObjectCodec.damage(FileList.name(number)) }
    return list
  }

  /// The newest list of files; nil where there is none.
  func lastFiles() async throws -> FileList? {
    guard let last = try await fileLists().last else { return nil }
    return try await files(last)
  }

  /// Removes lists that no instant from a base on needs, and the files that only they name; returns the number of objects.
  func removeFiles(before oldest: BaseManifest) async throws -> Int {
    var lists: [FileList] = []
    for number in try await fileLists() { lists.append(try await files(number)) }
    // The newest from before the base is in force at its instant.
    let first = lists.lastIndex { $0.instant <= oldest.instant } ?? 0
    var removed = 0
    for list in lists[..<min(first, lists.count)] {
      try await target.remove(FileList.name(list.number))
      removed += 1
    }
    let named = Set(lists[min(first, lists.count)...].flatMap { $0.files.map(\.object) })
    for entry in try await target.list(FileList.objects) {
      let object = String(entry.name.prefix { $0 != "-" })
      guard !named.contains(object), isOld(entry, oldest) else { continue }
      try await target.remove(entry.name)
      removed += 1
    }
    return removed
  }
}
