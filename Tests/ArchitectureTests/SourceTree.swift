import Foundation

/// The Swift files of this checkout and what they import.
struct SourceTree {
  /// One import line.
  struct Import {
    let file: String
    let module: String
  }

  /// The checkout that this file belongs to.
  let root: URL

  init(file: String = #filePath) {
    root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The names of the folders of a folder.
  func folders(of folder: String) throws -> [String] {
    let contents = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent(folder),
      includingPropertiesForKeys: [.isDirectoryKey],
      options: .skipsHiddenFiles
    )
    return try contents.filter {
      try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
    }
    .map(\.lastPathComponent).sorted()
  }

  /// Every target's name with its folder: the folders of the layers of Sources.
  func targets() throws -> [String: String] {
    var folders: [String: String] = [:]
    for layer in try self.folders(of: "Sources") {
      for target in try self.folders(of: "Sources/\(layer)") {
        folders[target] = "Sources/\(layer)/\(target)"
      }
    }
    return folders
  }

  /// The paths of all Swift files below a folder.
  func files(below folder: String) throws -> [String] {
    let base = root.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: base.path) ?? .init()
    return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
      .map { "\(folder)/\($0)" }
  }

  /// All import lines of the Swift files below a folder.
  func imports(below folder: String) throws -> [Import] {
    try files(below: folder).flatMap { file in
      try lines(of: file).compactMap(Self.module).map { Import(file: file, module: $0) }
    }
  }

  /// Returns true if a file's code names a type.
  func names(_ type: String, in file: String) throws -> Bool {
    try lines(of: file).contains { Self.names(type, in: $0) }
  }

  /// Returns true if a line names a type, outside comments and texts.
  static func names(_ type: String, in line: Substring) -> Bool {
    let code = line.components(separatedBy: "//")[0].split(
      separator: "\"",
      omittingEmptySubsequences: false
    )
    let words = code.enumerated().filter { $0.offset.isMultiple(of: 2) }.flatMap { part in
      part.element.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
    return words.contains(Substring(type))
  }

  /// A file's text.
  func text(of file: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
  }

  private func lines(of file: String) throws -> [Substring] {
    try text(of: file).split(separator: "\n")
  }

  /// The module that a line imports; nil for any other line.
  static func module(importedBy line: Substring) -> String? {
    var words = line.split(separator: " ")[...]
    let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    while let first = words.first, first.hasPrefix("@") || modifiers.contains(first) {
      words.removeFirst()
    }
    guard words.popFirst() == "import", var module = words.first else { return nil }
    let kinds: Set<Substring> = [
      "struct", "class", "enum", "protocol", "func", "let", "var", "typealias",
    ]
    if kinds.contains(module), let next = words.dropFirst().first { module = next }
    return String(module.prefix { $0 != "." && $0 != ";" })
  }
}
