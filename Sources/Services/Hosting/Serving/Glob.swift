import BaseStatus

/// A pattern of paths as `firebase.json` has them: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `@(a|b)`, `!(a)`, and `:name`.
///
/// The work of a match is bounded by steps, whatever the pattern: one that takes more throws.
package struct Glob: Sendable {
  /// The longest pattern, in bytes.
  package static let maximum = 2_000
  private static let maximumDepth = 8

  indirect enum Node: Sendable {
    case byte(UInt8)
    case one
    /// Any bytes of a segment.
    case star
    /// Any bytes, slashes too.
    case deep
    /// Nothing, or all up to a slash and with it.
    case folders
    case set([ClosedRange<UInt8>], isNegated: Bool)
    case choice([[Node]], Repetition)
    /// A segment under a name, or all that follows.
    case capture(Int, isDeep: Bool)
  }

  enum Repetition: Sendable {
    case once, optional, any, some, none
  }

  /// Empty where the pattern is a path.
  private let nodes: [Node]
  /// The number of nodes, at all levels.
  let size: Int
  /// The names of captures, in their order.
  let names: [String]
  /// The path that the pattern is, where it has nothing free in it.
  let literal: String?
  /// The bytes that every match begins with.
  private let beginning: [UInt8]

  /// Reads a pattern; INVALID_ARGUMENT where it is too long, too deep or does not end what it begins.
  ///
  /// - Parameter captures: True if `:name` stands for a segment, as in redirects.
  package init(_ text: String, captures: Bool = false) throws(ServiceError) {
    var parser = GlobParser(text, captures: captures)
    let nodes = try parser.parse()
    names = parser.names
    var beginning: [UInt8] = []
    for case .byte(let byte) in nodes.prefix(while: { if case .byte = $0 { true } else { false } })
    {
      beginning.append(byte)
    }
    self.beginning = beginning
    let isLiteral = beginning.count == nodes.count
    literal = isLiteral ? String(decoding: beginning, as: UTF8.self) : nil
    self.nodes = isLiteral ? [] : nodes
    size = isLiteral ? 0 : parser.count
  }

  /// The parts of a path that captures stand for, in their order; nil where the path does not match.
  ///
  /// Takes its steps from `work`, and throws when none are left: no caller may take that for a path
  /// that does not match.
  package func match(
    _ path: String,
    _ work: inout RuleWork
  ) throws(RuleWork.Exceeded) -> [String]? {
    try work.take(1 + beginning.count >> 4)
    if let literal { return path == literal ? [] : nil }
    guard path.utf8.starts(with: beginning) else { return nil }
    let bytes = Array(path.utf8)
    try work.take(bytes.count >> 4)
    var matcher = GlobMatcher(bytes, captures: names.count, steps: work.left)
    let isMatch = matcher.run(nodes[...], at: 0)
    try work.leave(matcher.steps)
    guard isMatch else { return nil }
    return matcher.captured.map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  static let malformed = ServiceError.invalidArgument(
    "A glob has up to 2000 bytes and 8 levels of parentheses, and each of them ends."
  )

  fileprivate static var depth: Int { maximumDepth }
}

/// Reads a glob.
private struct GlobParser {
  private let bytes: [UInt8]
  private let captures: Bool
  private var position = 0
  /// The nodes that were read.
  private(set) var count = 0
  var names: [String] = []

  init(_ text: String, captures: Bool) {
    bytes = Array(text.utf8)
    self.captures = captures
  }

  mutating func parse() throws(ServiceError) -> [Glob.Node] {
    guard bytes.count <= Glob.maximum else { throw Glob.malformed }
    let nodes = try sequence(until: [], depth: 0)
    guard position == bytes.count else { throw Glob.malformed }
    return nodes
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func sequence(
    until ends: Set<UInt8>,
    depth: Int
  ) throws(ServiceError) -> [Glob.Node] {
    guard depth <= Glob.depth else { throw Glob.malformed }
    var nodes: [Glob.Node] = []
    while let next = byte(), !ends.contains(next) {
      nodes.append(try node(next, depth: depth))
      count += 1
    }
    return nodes
  }

  private mutating func node(_ next: UInt8, depth: Int) throws(ServiceError) -> Glob.Node {
    let signs: [UInt8: Glob.Repetition] = [
      UInt8(ascii: "@"): .once, UInt8(ascii: "?"): .optional, UInt8(ascii: "*"): .any,
      UInt8(ascii: "+"): .some, UInt8(ascii: "!"): .none,
    ]
    if let repetition = signs[next], byte(1) == UInt8(ascii: "(") {
      position += 2
      return .choice(
        try alternatives(UInt8(ascii: "|"), UInt8(ascii: ")"), depth: depth),
        repetition
      )
    }
    position += 1
    switch next {
    case UInt8(ascii: "*"): return star()
    case UInt8(ascii: "?"): return .one
    case UInt8(ascii: "["): return try set()
    case UInt8(ascii: "{"):
      let alternatives = try alternatives(UInt8(ascii: ","), UInt8(ascii: "}"), depth: depth)
      return .choice(alternatives, .once)
    case UInt8(ascii: "\\"):
      guard let escaped = byte() else { throw Glob.malformed }
      position += 1
      return .byte(escaped)
    case UInt8(ascii: ":") where captures: return capture() ?? .byte(next)
    default: return .byte(next)
    }
  }

  /// One star stays in a segment, two of them that are a segment do not.
  private mutating func star() -> Glob.Node {
    var count = 1
    while byte() == UInt8(ascii: "*") {
      position += 1
      count += 1
    }
    guard count > 1 else { return .star }
    // `**/` is also nothing at all.
    if byte() == UInt8(ascii: "/"), position == count || bytes[position - count - 1] == 0x2F {
      position += 1
      return .folders
    }
    return .deep
  }

  private mutating func capture() -> Glob.Node? {
    let start = position
    while let next = byte(),
      (0x30...0x39).contains(next) || (0x41...0x5A).contains(next) || next == 0x5F
        || (0x61...0x7A).contains(next)
    {
      position += 1
    }
    guard position > start else { return nil }
    names.append(String(decoding: bytes[start..<position], as: UTF8.self))
    let isDeep = byte() == UInt8(ascii: "*")
    if isDeep { position += 1 }
    return .capture(names.count - 1, isDeep: isDeep)
  }

  private mutating func alternatives(
    _ separator: UInt8,
    _ end: UInt8,
    depth: Int
  ) throws(ServiceError) -> [[Glob.Node]] {
    var found: [[Glob.Node]] = []
    while true {
      found.append(try sequence(until: [separator, end], depth: depth + 1))
      guard let next = byte() else { throw Glob.malformed }
      position += 1
      if next == end { return found }
    }
  }

  private mutating func set() throws(ServiceError) -> Glob.Node {
    var ranges: [ClosedRange<UInt8>] = []
    let isNegated = byte() == UInt8(ascii: "!") || byte() == UInt8(ascii: "^")
    if isNegated { position += 1 }
    while let next = byte() {
      position += 1
      if next == UInt8(ascii: "]"), !ranges.isEmpty { return .set(ranges, isNegated: isNegated) }
      if byte() == UInt8(ascii: "-"), let high = byte(1), high != UInt8(ascii: "]"), high >= next {
        position += 2
        ranges.append(next...high)
      } else {
        ranges.append(next...next)
      }
    }
    throw Glob.malformed
  }
}

/// Matches a path, going back where it has to, for a bounded number of steps.
private struct GlobMatcher {
  private let path: [UInt8]
  /// Steps left; none once the search was given up.
  private(set) var steps: Int
  var captured: [Range<Int>]

  init(_ path: [UInt8], captures: Int, steps: Int) {
    self.path = path
    self.steps = steps
    captured = Array(repeating: 0..<0, count: captures)
  }

  /// Returns true if the nodes match all that is left of the path.
  ///
  /// Recurses only where there is something to go back to, so that the stack stays small.
  mutating func run(_ nodes: ArraySlice<Glob.Node>, at start: Int) -> Bool {
    var (nodes, start) = (nodes, start)
    while true {
      steps -= 1
      guard steps > 0 else { return false }
      guard let node = nodes.first else { return start == path.count }
      guard let isMatch = takes(node, at: start) else {
        return run(node, nodes.dropFirst(), at: start)
      }
      guard isMatch else { return false }
      nodes.removeFirst()
      start += 1
    }
  }

  /// Returns true if a node that stands for one byte stands for the next one; nil for other nodes.
  private func takes(_ node: Glob.Node, at start: Int) -> Bool? {
    switch node {
    case .byte(let byte): return start < path.count && path[start] == byte
    case .one: return start < path.count && path[start] != 0x2F
    case .set(let ranges, let isNegated):
      guard start < path.count, path[start] != 0x2F else { return false }
      return ranges.contains { $0.contains(path[start]) } != isNegated
    case .star, .deep, .folders, .capture, .choice: return nil
    }
  }

  private mutating func run(
    _ node: Glob.Node,
    _ next: ArraySlice<Glob.Node>,
    at start: Int
  ) -> Bool {
    switch node {
    case .byte, .one, .set:
      return takes(node, at: start) == true && run(next, at: start + 1)
    case .star: return span(next, at: start, isDeep: false) { _, _ in }
    case .deep: return span(next, at: start, isDeep: true) { _, _ in }
    case .folders:
      if run(next, at: start) { return true }
      for end in start..<path.count where path[end] == 0x2F {
        if steps <= 0 { return false }
        if run(next, at: end + 1) { return true }
      }
      return false
    case .capture(let index, let isDeep):
      return span(next, at: start, isDeep: isDeep, least: isDeep ? 0 : 1) {
        $0.captured[index] = $1
      }
    case .choice(let alternatives, let repetition):
      return choice(alternatives, repetition, next, at: start)
    }
  }

  /// Tries the longest part first.
  private mutating func span(
    _ next: ArraySlice<Glob.Node>,
    at start: Int,
    isDeep: Bool,
    least: Int = 0,
    _ found: (inout GlobMatcher, Range<Int>) -> Void
  ) -> Bool {
    var end = start
    while end < path.count, isDeep || path[end] != 0x2F { end += 1 }
    guard end >= start + least else { return false }
    for end in stride(from: end, through: start + least, by: -1) {
      found(&self, start..<end)
      if run(next, at: end) { return true }
      if steps <= 0 { return false }
    }
    return false
  }

  private mutating func choice(
    _ alternatives: [[Glob.Node]],
    _ repetition: Glob.Repetition,
    _ next: ArraySlice<Glob.Node>,
    at start: Int
  ) -> Bool {
    if repetition == .none { return negation(alternatives, next, at: start) }
    if repetition == .optional || repetition == .any, run(next, at: start) { return true }
    for end in start...path.count {
      // Whatever matches: a part that does not costs as much.
      if steps <= 0 { return false }
      guard matches(alternatives, start..<end) else { continue }
      if run(next, at: end) { return true }
      // Again, behind what is not empty: else it would never end.
      guard repetition == .any || repetition == .some, end > start else { continue }
      if choice(alternatives, .any, next, at: end) { return true }
    }
    return false
  }

  /// A part of a segment that is none of the alternatives.
  private mutating func negation(
    _ alternatives: [[Glob.Node]],
    _ next: ArraySlice<Glob.Node>,
    at start: Int
  ) -> Bool {
    var last = start
    while last < path.count, path[last] != 0x2F { last += 1 }
    for end in stride(from: last, through: start, by: -1) {
      if steps <= 0 { return false }
      if !matches(alternatives, start..<end), run(next, at: end) { return true }
    }
    return false
  }

  private mutating func matches(_ alternatives: [[Glob.Node]], _ range: Range<Int>) -> Bool {
    alternatives.contains { nodes in
      // The copy of a long part takes as long as some steps.
      steps -= range.count >> 4
      var part = GlobMatcher(Array(path[range]), captures: captured.count, steps: steps)
      let isMatch = part.run(nodes[...], at: 0)
      steps = part.steps
      return isMatch
    }
  }
}
