import FirestoreModel

/// Runs a program over a text, all states at once.
///
/// Every state is entered at most once a character, so the time is bounded by the product of text
/// and program; `budget` bounds it over a whole request.
struct RegexMatcher {
  private struct Thread {
    let state: Int
    let slots: [Int]
  }

  private let program: [Regex.Instruction]
  private let slotCount: Int
  private let text: [UInt32]
  private var seen: [Int]
  private var generation = 0
  /// Steps left; negative once they are used up.
  private(set) var budget: Int

  init(_ regex: Regex, _ text: [UInt32], budget: Int) {
    program = regex.program
    slotCount = (regex.groupCount + 1) * 2
    self.text = text
    self.budget = budget
    seen = Array(repeating: -1, count: program.count)
  }

  /// Whether the whole text matches.
  mutating func matchesAll() -> Bool {
    var current: [Thread] = []
    beginList()
    add(0, at: 0, slots: [], to: &current)
    for position in text.indices {
      var following: [Thread] = []
      beginList()
      for thread in current where accepts(thread.state, text[position]) {
        add(thread.state + 1, at: position + 1, slots: [], to: &following)
      }
      current = following
      if current.isEmpty || budget < 0 { return false }
    }
    return current.contains { if case .match = program[$0.state] { true } else { false } }
  }

  /// The places of the leftmost match from an offset on: begin and end of the whole and of every
  /// group, -1 for groups that took no part.
  mutating func firstMatch(from start: Int) -> [Int]? {
    var current: [Thread] = []
    var best: [Int]?
    var position = start
    beginList()
    while position <= text.count, budget >= 0 {
      if best == nil { add(0, at: position, slots: emptySlots, to: &current) }
      if current.isEmpty { break }
      var following: [Thread] = []
      beginList()
      search: for thread in current {
        if case .match = program[thread.state] {
          best = thread.slots
          break search
        }
        if position < text.count, accepts(thread.state, text[position]) {
          add(thread.state + 1, at: position + 1, slots: thread.slots, to: &following)
        }
      }
      current = following
      position += 1
    }
    return best
  }

  /// The length of the text.
  var count: Int { text.count }

  /// A part of the text.
  func text(_ range: Range<Int>) -> Text {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text[range].compactMap(UnicodeScalar.init))
    return Text(String(view))
  }

  private var emptySlots: [Int] { Array(repeating: -1, count: slotCount) }

  private mutating func beginList() { generation += 1 }

  private mutating func accepts(_ state: Int, _ scalar: UInt32) -> Bool {
    budget -= 1
    return switch program[state] {
    case .one(let set): set.contains(scalar)
    case .any: true
    case .anyButNewline: scalar != 0x0A
    case .assertion, .split, .jump, .save, .match: false
    }
  }

  /// Enters a state and all that are reached from it without a character, in order of preference.
  private mutating func add(_ state: Int, at position: Int, slots: [Int], to list: inout [Thread]) {
    var pending = [Thread(state: state, slots: slots)]
    while let thread = pending.popLast() {
      guard seen[thread.state] != generation else { continue }
      seen[thread.state] = generation
      budget -= 1
      switch program[thread.state] {
      case .jump(let target): pending.append(Thread(state: target, slots: thread.slots))
      case .split(let first, let second):
        pending.append(Thread(state: second, slots: thread.slots))
        pending.append(Thread(state: first, slots: thread.slots))
      case .save(let slot):
        var slots = thread.slots
        if slot < slots.count { slots[slot] = position }
        pending.append(Thread(state: thread.state + 1, slots: slots))
      case .assertion(let assertion):
        if holds(assertion, at: position) {
          pending.append(Thread(state: thread.state + 1, slots: thread.slots))
        }
      case .one, .any, .anyButNewline, .match: list.append(thread)
      }
    }
  }

  private func holds(_ assertion: Regex.Assertion, at position: Int) -> Bool {
    switch assertion {
    case .textStart: position == 0
    case .textEnd: position == text.count
    case .lineStart: position == 0 || text[position - 1] == 0x0A
    case .lineEnd: position == text.count || text[position] == 0x0A
    case .wordBoundary: isWord(position - 1) != isWord(position)
    case .noWordBoundary: isWord(position - 1) == isWord(position)
    }
  }

  private func isWord(_ position: Int) -> Bool {
    guard text.indices.contains(position), text[position] < 128 else { return false }
    let byte = UInt8(text[position])
    return Lexer.isWord(byte) && byte != UInt8(ascii: "$")
  }
}
