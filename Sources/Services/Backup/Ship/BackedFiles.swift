import Foundation

/// Folders of small files beside the engines: those of functions.
///
/// A file there is put in its place by renaming and never written again. So the times of a folder
/// and of the folders in it show if anything has changed; deeper files come and go with their
/// folder.
package struct BackedFiles: Sendable {
  /// The data directory.
  let root: String
  /// The folders, by their paths below the data directory.
  let folders: [String]

  /// Folders of a data directory.
  package init(in root: String, folders: [String]) {
    self.root = root
    self.folders = folders
  }

  /// The times of the folders that are there, in nanoseconds; blocks.
  func mark() throws -> [String: Int64] {
    var times: [String: Int64] = [:]
    for folder in folders {
      guard let time = LocalFile.folderTime("\(root)/\(folder)") else { continue }
      times[folder] = time
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)") {
        guard let time = LocalFile.folderTime("\(root)/\(folder)/\(name)") else { continue }
        times["\(folder)/\(name)"] = time
      }
    }
    return times
  }

  /// The regular files below the folders; blocks.
  func scan() throws -> [(path: String, size: Int, modified: Int64, isExecutable: Bool)] {
    var found: [(path: String, size: Int, modified: Int64, isExecutable: Bool)] = []
    var waiting = folders.filter { LocalFile.folderTime("\(root)/\($0)") != nil }
    while let folder = waiting.popLast() {
      for file in try LocalFile.files(in: "\(root)/\(folder)") {
        let path = "\(folder)/\(file.name)"
        let isExecutable = FileManager.default.isExecutableFile(atPath: "\(root)/\(path)")
        found.append((path, file.size, file.modified, isExecutable))
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
      where LocalFile.folderTime("\(root)/\(folder)/\(name)") != nil {
        waiting.append("\(folder)/\(name)")
      }
    }
    return found.sorted { $0.path < $1.path }
  }

  /// True where a path from a list is one of a file below the folders, which leads nowhere else.
  static func isInside(_ path: String, _ folders: [String]) -> Bool {
    // By bytes, as the system reads it: a slash and a combining mark behind it are one character.
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return folders.contains { path.hasPrefix($0 + "/") } && !path.utf8.contains(0)
      && parts.allSatisfy {
        !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
      }
  }
}

extension BackupShipper {
  /// Brings the files beside the engines to the target where they have changed.
  func shipFiles() async throws {
    guard let source = configuration.files else { return }
    let mark = try await threads.run(on: .maintenance) { try source.mark() }
    guard mark != lastFiles?.mark ?? [:] else { return }
    do {
      try await ship(source, as: mark)
    } catch {
      // Files that were replaced in the meantime are shipped in the next round.
      let isSame = try await threads.run(on: .maintenance) { try source.mark() == mark }
      if isSame { throw error }
    }
  }

  private func ship(_ source: BackedFiles, as mark: [String: Int64]) async throws {
    let found = try await threads.run(on: .maintenance) { try source.scan() }
    var known: [String: FileList.File] = [:]
    for file in lastFiles?.files ?? [] { known[file.key] = file }
    var files: [FileList.File] = []
    for file in found {
      let described = FileList.File(
        path: file.path,
        size: file.size,
        modified: file.modified,
        isExecutable: file.isExecutable,
        object: "\(FileList.objects)\(Self.randomName())",
        parts: BaseManifest.parts(ofSize: file.size)
      )
      if let same = known[described.key] {
        files.append(same)
        continue
      }
      try await upload(described, of: "\(source.root)/\(file.path)")
      files.append(described)
    }
    guard try await threads.run(on: .maintenance, { try source.mark() == mark }) else { return }
    let list = FileList(
      number: (lastFiles?.number ?? 0) + 1,
      instant: min(now, (mark.values.max() ?? 0) / 1_000),
      mark: mark,
      files: files
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try await put(FileList.name(list.number), Array(encoder.encode(list)), packing: true)
    lastFiles = list
  }

  private func upload(_ file: FileList.File, of path: String) async throws {
    for part in 0..<file.parts {
      let offset = part * BaseManifest.partBytes
      let count = min(BaseManifest.partBytes, file.size - offset)
      let bytes = try await threads.run(on: .maintenance) {
        try LocalFile.read(path, at: offset, count: count)
      }
      guard bytes.count == count else {
        throw BackupError(.unavailable, "\(path) changed while it was read.")
      }
      try await put(BaseManifest.part(file.object, part), bytes)
      try await ship()
    }
  }
}

extension BackupRestore {
  /// Restores the files beside the engines as they were at a point, into a directory whose engines were restored to it.
  package func restoreFiles(
    of folders: [String],
    to directory: String,
    _ point: RestorePoint,
    _ outcome: inout RestoreOutcome
  ) async throws {
    let limit: Int64 =
      switch point {
      case .end: .max
      case .instant(let time): time
      case .beforeCommit(let version): version - 1
      case .beforeSegment: outcome.lastTime
      }
    var chosen: FileList?
    for number in try await archive.fileLists().reversed() {
      let list = try await archive.files(number)
      guard list.instant <= limit else { continue }
      chosen = list
      break
    }
    for file in chosen?.files ?? [] {
      guard BackedFiles.isInside(file.path, folders) else {
        throw BackupError(
          .damaged,
          "A list of files in the backup contains \(file.path), which is not allowed."
        )
      }
      try await restore(file, to: directory)
      outcome.files += 1
      outcome.bytes += file.size
    }
  }

  private func restore(_ file: FileList.File, to directory: String) async throws {
    let path = "\(directory)/\(file.path)"
    try await threads.run(on: .maintenance) {
      var folder = directory
      for part in file.path.split(separator: "/").dropLast() {
        folder += "/\(part)"
        try LocalFile.makeDirectory(folder)
      }
    }
    for part in 0..<file.parts {
      let bytes = try await archive.content(BaseManifest.part(file.object, part))
      try await threads.run(on: .maintenance) { try LocalFile.append(path, bytes) }
    }
    try await threads.run(on: .maintenance) {
      guard try LocalFile.size(of: path) == file.size else { throw ObjectCodec.damage(file.object) }
      if file.isExecutable { try LocalFile.makeExecutable(path) }
      try LocalFile.sync(path)
    }
  }
}
