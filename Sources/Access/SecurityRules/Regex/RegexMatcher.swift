import BaseText

/// Runs a program over a text, all states at once.
///
/// Every state is entered at most once a character, so the time is bounded by the product of text
/// and program; `budget` bounds it over a whole evaluation.
struct RegexMatcher {
  /// States that wait for a character, in order of preference, each with its slots.
  private struct ThreadList {
    var states: [Int32] = []
    var slots: [Int32] = []

    mutating func removeAll() {
      states.removeAll(keepingCapacity: true)
      slots.removeAll(keepingCapacity: true)
    }
  }

  /// A state to enter, or, without one, a slot to put back.
  private struct Pending {
    let state: Int32
    var slot: Int32 = 0
    var value: Int32 = 0
  }

  /// Steps beside characters: memory for a search, a match that is copied.
  private static let searchSteps = 32

  private let program: [Regex.Operation]
  private let sets: [ScalarSet]
  private let slotCount: Int
  private let text: [UInt32]
  private var seen: [Int32]
  private var generation: Int32 = 0
  private var pending: [Pending] = []
  private var slots: [Int32] = []
  private var spare = (ThreadList(), ThreadList())
  /// Steps left; negative once they are used up.
  private(set) var budget: Int

  init(_ regex: Regex, _ text: [UInt32], budget: Int) {
    program = regex.program
    sets = regex.sets
    slotCount = (regex.groupCount + 1) * 2
    self.text = text
    self.budget = budget - program.count / 4
    seen = Array(repeating: -1, count: program.count)
  }

  /// Returns true if the whole text matches.
  mutating func matchesAll() -> Bool {
    var current = ThreadList()
    var following = ThreadList()
    slots = []
    beginList()
    add(0, at: 0, to: &current)
    for position in text.indices {
      following.removeAll()
      beginList()
      for state in current.states where accepts(Int(state), text[position]) {
        add(state + 1, at: position + 1, to: &following)
      }
      swap(&current, &following)
      if current.states.isEmpty || budget < 0 { return false }
    }
    return current.states.contains { program[Int($0)].kind == .match }
  }

  /// The offsets of the leftmost match from an offset on: begin and end of the whole and of every
  /// group, -1 for groups that took no part.
  mutating func firstMatch(from start: Int) -> [Int]? {
    var (current, following) = spare
    spare = (ThreadList(), ThreadList())
    defer { spare = (current, following) }
    current.removeAll()
    budget -= Self.searchSteps
    slots = Array(repeating: -1, count: slotCount)
    var best: [Int]?
    var position = start
    beginList()
    while position <= text.count, budget >= 0 {
      if best == nil {
        for slot in slots.indices { slots[slot] = -1 }
        budget -= slotCount
        add(0, at: position, to: &current)
      }
      if current.states.isEmpty { break }
      following.removeAll()
      beginList()
      advance(current, at: position, to: &following, &best)
      swap(&current, &following)
      position += 1
    }
    return best
  }

  /// Takes one character; a match drops less preferred alternatives.
  private mutating func advance(
    _ current: ThreadList,
    at position: Int,
    to following: inout ThreadList,
    _ best: inout [Int]?
  ) {
    for (index, state) in current.states.enumerated() {
      let start = index * slotCount
      if program[Int(state)].kind == .match {
        best = current.slots[start..<(start + slotCount)].map(Int.init)
        return
      }
      if position < text.count, accepts(Int(state), text[position]) {
        for slot in 0..<slotCount { slots[slot] = current.slots[start + slot] }
        budget -= slotCount / 2
        add(state + 1, at: position + 1, to: &following)
      }
    }
  }

  /// The length of the text.
  var count: Int { text.count }

  /// A part of the text.
  func text(_ range: Range<Int>) -> Text {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text[range].lazy.compactMap(UnicodeScalar.init))
    return Text(String(view))
  }

  /// Takes steps for work with matches; false once they are used up.
  mutating func spend(_ steps: Int) -> Bool {
    budget -= steps
    return budget >= 0
  }

  private mutating func beginList() { generation &+= 1 }

  private mutating func accepts(_ state: Int, _ scalar: UInt32) -> Bool {
    budget -= 1
    let operation = program[state]
    switch operation.kind {
    case .one:
      if scalar < 64 { return operation.low & (1 << UInt64(scalar)) != 0 }
      if scalar < 128 { return operation.high & (1 << UInt64(scalar - 64)) != 0 }
      budget -= sets[Int(operation.first)].lookupSteps
      return sets[Int(operation.first)].contains(scalar)
    case .any: return true
    case .anyButNewline: return scalar != 0x0A
    case .assertion, .split, .jump, .save, .match: return false
    }
  }

  /// Enters a state and all that are reached from it without a character, in order of preference.
  private mutating func add(_ state: Int32, at position: Int, to list: inout ThreadList) {
    pending.append(Pending(state: state))
    while let next = pending.popLast() {
      guard next.state >= 0 else {
        slots[Int(next.slot)] = next.value
        continue
      }
      let state = Int(next.state)
      guard seen[state] != generation else { continue }
      seen[state] = generation
      budget -= 1
      let operation = program[state]
      switch operation.kind {
      case .jump: pending.append(Pending(state: operation.first))
      case .split:
        pending.append(Pending(state: operation.second))
        pending.append(Pending(state: operation.first))
      case .save: save(operation.first, position, next.state + 1)
      case .assertion:
        if holds(operation.first, at: position) { pending.append(Pending(state: next.state + 1)) }
      case .one, .any, .anyButNewline, .match:
        list.states.append(next.state)
        if !slots.isEmpty {
          list.slots.append(contentsOf: slots)
          budget -= slotCount / 2
        }
      }
    }
  }

  private mutating func save(_ slot: Int32, _ position: Int, _ following: Int32) {
    if !slots.isEmpty {
      pending.append(Pending(state: -1, slot: slot, value: slots[Int(slot)]))
      slots[Int(slot)] = Int32(position)
    }
    pending.append(Pending(state: following))
  }

  private func holds(_ assertion: Int32, at position: Int) -> Bool {
    switch Regex.Assertion(rawValue: assertion) {
    case .textStart: position == 0
    case .textEnd: position == text.count
    case .lineStart: position == 0 || text[position - 1] == 0x0A
    case .lineEnd: position == text.count || text[position] == 0x0A
    case .wordBoundary: isWord(position - 1) != isWord(position)
    case .noWordBoundary: isWord(position - 1) == isWord(position)
    case nil: false
    }
  }

  private func isWord(_ position: Int) -> Bool {
    guard text.indices.contains(position), text[position] < 128 else { return false }
    let byte = UInt8(text[position])
    return Lexer.isWord(byte) && byte != UInt8(ascii: "$")
  }
}
