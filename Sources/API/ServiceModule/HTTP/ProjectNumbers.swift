import BaseStatus
import BaseText

/// The numbers by which Google's tools name projects once they have read them: a project's id gives its number.
///
/// A number names the one known project that has it. Two known projects with one number are
/// distinguished only by their IDs.
package struct ProjectNumbers: Sendable {
  /// The number of the project of an id.
  package let number: @Sendable (Text) -> UInt32
  /// All known projects; blocks.
  package let projects: @Sendable () throws -> Set<Text>

  /// Numbers of those projects.
  package init(
    number: @escaping @Sendable (Text) -> UInt32,
    projects: @escaping @Sendable () throws -> Set<Text>
  ) {
    self.number = number
    self.projects = projects
  }

  /// The project that a text names by its number; nil where it is no number of a known project, or is a known project's id.
  ///
  /// Blocks. FAILED_PRECONDITION where two known projects have the number.
  package func project(_ text: String) throws -> Text? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let wanted = UInt32(text) else {
      return nil
    }
    let known = try projects()
    guard !known.contains(Text(text)) else { return nil }
    let found = known.filter { number($0) == wanted }
    guard found.count < 2 else {
      let names = found.map(\.string).sorted().joined(separator: " and ")
      throw ServiceError(
        .failedPrecondition,
        "\(names) share the number \(text). Use the project's ID instead."
      )
    }
    return found.first
  }

  /// The range of a number behind `/projects/` in a path; nil where there is none.
  package static func digits(in path: String) -> Range<String.Index>? {
    guard let start = path.firstRange(of: "/projects/")?.upperBound else { return nil }
    let tail = path.utf8[start...]
    let end = tail.firstIndex { !(0x30...0x39).contains($0) } ?? path.endIndex
    guard start < end, end == path.endIndex || path.utf8[end] == 0x2F || path.utf8[end] == 0x3A
    else { return nil }
    return start..<end
  }
}
