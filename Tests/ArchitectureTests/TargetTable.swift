import Foundation

/// The table of targets in docs/targets.md, and the picture above it: both follow the manifest and the imports.
struct TargetTable {
  /// Modules of the operating system and of the language that every target may import.
  static let free: Set<String> = [
    "Darwin", "Glibc", "Musl", "Dispatch", "Synchronization", "Swift",
  ]

  /// A target, its description, targets of ours that it uses, and other modules that it imports.
  struct Row {
    let target: String
    let description: String
    let ours: [String]
    let others: [String]

    var line: String {
      let cells = [
        "`\(target)`", description, Self.names(ours), Self.names(others),
      ]
      return "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }

    private static func names(_ modules: [String]) -> String {
      modules.map { "`\($0)`" }.joined(separator: ", ")
    }
  }

  static let start = "<!-- The table of targets: written by Tests/ArchitectureTests. -->"
  static let end = "<!-- The end of the table of targets. -->"

  /// The page's table as it ought to be; descriptions are the page's own, empty where it has none.
  static func lines(manifest: Manifest, tree: SourceTree, page: String) throws -> [String] {
    let descriptions = descriptions(in: page)
    let own = Set(manifest.targets.map(\.name))
    var lines = [start, ""] + TargetGraph(manifest: manifest).lines
    lines += ["", "| Target | Description | Uses targets | Other modules |", "|---|---|---|---|"]
    for layer in Manifest.layers {
      for target in manifest.targets where target.layer == layer {
        let imported = Set(try tree.imports(below: target.folder).map(\.module))
        lines.append(
          Row(
            target: target.name,
            description: descriptions[target.name, default: ""],
            ours: target.ours,
            others: target.others
              + imported.subtracting(own).subtracting(target.others)
              .subtracting(free).sorted()
          ).line
        )
      }
    }
    return lines + ["", end]
  }

  /// The second cell of each row whose first is one name in backticks.
  private static func descriptions(in page: String) -> [String: String] {
    var found: [String: String] = [:]
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        .dropLast()
      guard cells.count == 4, let name = cells.first?.split(separator: "`").dropFirst().first else {
        continue
      }
      found[String(name)] = cells.dropFirst().first?.trimmingCharacters(in: .whitespaces)
    }
    return found
  }
}
