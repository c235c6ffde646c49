/// A pattern of names: `*` is anything but a slash, `**` anything, `?` one character but a slash, `[a-z]` one of a set,
/// `{a,b}` one of several texts, and `**/` at the beginning or behind a slash any number of folders, none too.
///
/// Matching takes time in proportion to the name and the pattern, for any input.
package struct ObjectGlob: Sendable {
  private enum Step: Sendable, Hashable {
    case character(Unicode.Scalar)
    case anyInSegment
    case any
    case oneInSegment
    /// The next two steps may be passed over: `**/` where there is no folder.
    case optional
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
  }

  private let alternatives: [[Step]]

  /// Reads a pattern; throws for one that is malformed or means too much.
  package init(_ pattern: String) throws(StorageError) {
    guard pattern.utf8.count <= 1_024 else { throw Self.invalid }
    var alternatives: [[Step]] = []
    for text in try Self.expanded(Array(pattern.unicodeScalars)) {
      alternatives.append(try Self.steps(text))
    }
    self.alternatives = alternatives
  }

  private static let invalid = StorageError(.invalid, "Invalid glob pattern.")
  /// The most alternatives that braces may expand to.
  private static let alternativeLimit = 100

  private static func expanded(
    _ pattern: [Unicode.Scalar]
  ) throws(StorageError) -> [[Unicode.Scalar]] {
    var done: [[Unicode.Scalar]] = [[]]
    var position = 0
    while position < pattern.count {
      let scalar = pattern[position]
      if scalar == "\\", position + 1 < pattern.count {
        for index in done.indices { done[index] += pattern[position...(position + 1)] }
        position += 2
      } else if scalar == "{" {
        guard let end = pattern[position...].firstIndex(of: "}") else { throw invalid }
        let parts = pattern[(position + 1)..<end].split(
          separator: ",",
          omittingEmptySubsequences: false
        )
        guard !pattern[(position + 1)..<end].contains("{"),
          done.count * parts.count <= alternativeLimit
        else { throw invalid }
        done = done.flatMap { beginning in parts.map { beginning + $0 } }
        position = end + 1
      } else {
        for index in done.indices { done[index].append(scalar) }
        position += 1
      }
    }
    return done
  }

  private static func steps(_ pattern: [Unicode.Scalar]) throws(StorageError) -> [Step] {
    var steps: [Step] = []
    var rest = pattern[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*" where rest.first == "*":
        rest = rest.drop { $0 == "*" }
        let isFolder = steps.last ?? .character("/") == .character("/")
        if isFolder, rest.first == "/" { steps.append(.optional) }
        steps.append(.any)
      case "*": steps.append(.anyInSegment)
      case "?": steps.append(.oneInSegment)
      case "[": steps.append(try set(&rest))
      case "\\":
        guard let next = rest.popFirst() else { throw invalid }
        steps.append(.character(next))
      default: steps.append(.character(scalar))
      }
    }
    return steps
  }

  private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) throws(StorageError) -> Step {
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    let isNegated = rest.first == "!" || rest.first == "^"
    if isNegated { rest = rest.dropFirst() }
    while let low = rest.popFirst(), low != "]" || ranges.isEmpty {
      if rest.first == "-", let high = rest.dropFirst().first, high != "]" {
        guard low <= high else { throw invalid }
        ranges.append(low...high)
        rest = rest.dropFirst(2)
      } else {
        ranges.append(low...low)
      }
      if rest.isEmpty { throw invalid }
    }
    guard !ranges.isEmpty else { throw invalid }
    return .set(ranges, isNegated: isNegated)
  }

  /// Returns true if the pattern matches the whole name.
  package func matches(_ name: [UInt8]) -> Bool {
    let scalars = Array(String(decoding: name, as: UTF8.self).unicodeScalars)
    return alternatives.contains { Self.matches($0, scalars) }
  }

  /// Follows all ways through the pattern at once.
  private static func matches(_ steps: [Step], _ name: [Unicode.Scalar]) -> Bool {
    var reached = [Bool](repeating: false, count: steps.count + 1)
    reached[0] = true
    passFree(steps, &reached)
    for scalar in name {
      var next = [Bool](repeating: false, count: steps.count + 1)
      for (index, step) in steps.enumerated() where reached[index] {
        switch step {
        case .optional: break
        case .any: next[index] = true
        case .anyInSegment: if scalar != "/" { next[index] = true }
        case .oneInSegment: if scalar != "/" { next[index + 1] = true }
        case .character(let wanted): if wanted == scalar { next[index + 1] = true }
        case .set(let ranges, let isNegated):
          let isIn = ranges.contains { $0.contains(scalar) }
          if scalar != "/", isIn != isNegated { next[index + 1] = true }
        }
      }
      passFree(steps, &next)
      reached = next
    }
    return reached[steps.count]
  }

  /// A step of anything may also be nothing.
  private static func passFree(_ steps: [Step], _ reached: inout [Bool]) {
    for (index, step) in steps.enumerated() where reached[index] {
      switch step {
      case .any, .anyInSegment: reached[index + 1] = true
      case .optional:
        reached[index + 1] = true
        reached[index + 3] = true
      case .oneInSegment, .character, .set: break
      }
    }
  }
}
