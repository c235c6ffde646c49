/// Turns a pattern's tree into the automaton's program.
struct RegexCompiler {
  var program: [Regex.Instruction] = []

  mutating func emit(_ tree: RegexTree) throws(RegexError) {
    guard program.count <= RulesLimits.regexInstructions else {
      throw RegexError(message: "expression too large")
    }
    switch tree {
    case .empty: return
    case .instruction(let instruction): program.append(instruction)
    case .sequence(let items): for item in items { try emit(item) }
    case .alternatives(let branches): try emit(alternatives: branches)
    case .repeated(let item, let low, let high, let isLazy):
      try emit(item, low, high, isLazy)
    case .group(let inner, let number):
      program.append(.save(number * 2))
      try emit(inner)
      program.append(.save(number * 2 + 1))
    }
  }

  private mutating func emit(alternatives branches: [RegexTree]) throws(RegexError) {
    var ends: [Int] = []
    for branch in branches.dropLast() {
      let split = program.count
      program.append(.jump(0))
      try emit(branch)
      ends.append(program.count)
      program.append(.jump(0))
      program[split] = .split(split + 1, program.count)
    }
    if let last = branches.last { try emit(last) }
    for end in ends { program[end] = .jump(program.count) }
  }

  private mutating func emit(
    _ item: RegexTree,
    _ low: Int,
    _ high: Int?,
    _ isLazy: Bool
  ) throws(RegexError) {
    for _ in 0..<low {
      let start = program.count
      try emit(item)
      if program.count == start { break }
    }
    guard let high else { return try emitStar(item, isLazy) }
    var splits: [Int] = []
    for _ in low..<high {
      splits.append(program.count)
      program.append(.jump(0))
      try emit(item)
    }
    for split in splits { program[split] = fork(split + 1, program.count, isLazy) }
  }

  private mutating func emitStar(_ item: RegexTree, _ isLazy: Bool) throws(RegexError) {
    let split = program.count
    program.append(.jump(0))
    try emit(item)
    program.append(.jump(split))
    program[split] = fork(split + 1, program.count, isLazy)
  }

  private func fork(_ inside: Int, _ outside: Int, _ isLazy: Bool) -> Regex.Instruction {
    isLazy ? .split(outside, inside) : .split(inside, outside)
  }
}
