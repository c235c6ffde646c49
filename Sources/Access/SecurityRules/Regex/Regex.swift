/// A regular expression of RE2's language: it never takes more than linear time in the text.
///
/// The pattern becomes a program of a non-deterministic automaton whose states advance together
/// (Thompson, Pike). There are no back references and no look-around. Classes are Unicode general
/// categories, POSIX names and Perl's; scripts (`\p{Greek}`) are refused.
struct Regex: Sendable {
  /// One step of the automaton.
  enum Instruction: Sendable {
    case one(ScalarSet)
    case any
    case anyButNewline
    case assertion(Assertion)
    /// Goes to both, preferring the first.
    case split(Int, Int)
    case jump(Int)
    case save(Int)
    case match
  }

  /// Conditions on a position between characters.
  enum Assertion: Int32, Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
  }

  /// An instruction without references, for the matcher's inner loop.
  struct Operation: Sendable {
    enum Kind: UInt8, Sendable {
      case one, any, anyButNewline, assertion, split, jump, save, match
    }

    let kind: Kind
    /// The operation's first target, the slot that it saves, the index of its set, or its
    /// assertion.
    var first: Int32 = 0
    /// The operation's second target.
    var second: Int32 = 0
    /// The bits of a set's ASCII characters.
    var low: UInt64 = 0
    var high: UInt64 = 0
  }

  let program: [Operation]
  let sets: [ScalarSet]
  /// Capturing groups, the whole match not counted.
  let groupCount: Int
  /// The numbers of groups by name.
  let groupNames: [String: Int]

  init(_ pattern: String) throws(RegexError) {
    var parser = try RegexParser(pattern)
    let tree = try parser.parse()
    var compiler = RegexCompiler()
    try compiler.emit(.group(tree, 0))
    compiler.program.append(.match)
    var sets: [ScalarSet] = []
    program = compiler.program.map { Operation($0, &sets) }
    self.sets = sets
    groupCount = parser.groupCount
    groupNames = parser.groupNames
  }
}

extension Regex.Operation {
  fileprivate init(_ instruction: Regex.Instruction, _ sets: inout [ScalarSet]) {
    switch instruction {
    case .one(var set):
      set.seal()
      let index = Int32(sets.count)
      sets.append(set)
      self.init(kind: .one, first: index, low: set.low, high: set.high)
    case .any: self.init(kind: .any)
    case .anyButNewline: self.init(kind: .anyButNewline)
    case .assertion(let assertion): self.init(kind: .assertion, first: assertion.rawValue)
    case .split(let first, let second):
      self.init(kind: .split, first: Int32(first), second: Int32(second))
    case .jump(let target): self.init(kind: .jump, first: Int32(target))
    case .save(let slot): self.init(kind: .save, first: Int32(slot))
    case .match: self.init(kind: .match)
    }
  }
}

/// The error of a malformed pattern.
struct RegexError: Error {
  let message: String
}
