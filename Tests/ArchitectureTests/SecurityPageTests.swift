import Foundation
import Testing

/// docs/security.md promises tests and attacks: each that it names must exist.
struct SecurityPageTests {
  private let root = SourceTree().root

  /// The names in backticks of the last cells of the tables of threats and attacks.
  private func namedTests() throws -> [String] {
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/security.md"),
      encoding: .utf8
    )
    let table = page.components(separatedBy: "## Threats").last ?? ""
    return table.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).flatMap { row in
      let cell = row.split(separator: "|", omittingEmptySubsequences: false).dropLast().last ?? ""
      return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
  }

  /// The text of all tests of a kind.
  private func tests(withSuffix suffix: String) throws -> String {
    let folder = root.appendingPathComponent("Tests")
    let paths = FileManager.default.enumerator(atPath: folder.path) ?? .init()
    return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) }
      .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
      .joined(separator: "\n")
  }

  @Test func `tests that the page on security names exist`() throws {
    let names = try namedTests()
    let swift = try tests(withSuffix: ".swift")
    let python = try tests(withSuffix: ".py")
    #expect(names.count > 20)
    for name in names {
      let isThere =
        swift.contains("func `\(name)`(") || python.contains("def \(name)(")
        || python.contains("class \(name)(")
      #expect(isThere, "no test is called \(name)")
    }
  }
}
