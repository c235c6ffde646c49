import Foundation

/// The tables of targets in docs/architecture.md: who may import whom.
struct TargetTable {
  /// Modules that every target may import.
  static let free: Set<String> = [
    "Darwin", "Glibc", "Musl", "Dispatch", "Synchronization", "Swift",
  ]

  /// What each target may import.
  private(set) var allowed: [String: Set<String>] = [:]
  /// What each test target may import beyond its target's own.
  private(set) var allowedInTests: [String: Set<String>] = [:]

  /// Reads every row whose first cell is one name in backticks.
  init(page: String) {
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        .dropLast()
      guard let name = cells.first.flatMap({ Self.names(in: $0).first }) else { continue }
      if cells.count == 4 {
        allowed[name] = Set(cells.dropFirst(2).flatMap(Self.names))
      } else if cells.count == 2 {
        allowedInTests[name] = Set(cells.dropFirst().flatMap(Self.names))
      }
    }
  }

  /// The words of a cell that stand in backticks.
  private static func names(in cell: Substring) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false)
      .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
