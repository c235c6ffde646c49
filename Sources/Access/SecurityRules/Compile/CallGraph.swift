/// The calls between functions; recursion in any form is an error, and so is a long chain.
struct CallGraph {
  private struct Function {
    let name: String
    let range: Range<Int>
    var callees: Set<Int> = []
    var isUsed = false
  }

  private var functions: [Function] = []

  /// Declares the next function.
  mutating func add(_ name: String, at range: Range<Int>) {
    functions.append(Function(name: name, range: range))
  }

  /// Notes a call; nil calls are those of allow statements.
  mutating func call(_ callee: Int, from caller: Int?) {
    functions[callee].isUsed = true
    if let caller { functions[caller].callees.insert(callee) }
  }

  /// Functions that nothing calls.
  var unused: [(name: String, range: Range<Int>)] {
    functions.filter { !$0.isUsed }.map { ($0.name, $0.range) }
  }

  /// Cycles, and chains beyond the limit.
  var errors: [RulesIssue] {
    var heights: [Int: Int] = [:]
    var path: [Int] = []
    var errors: [RulesIssue] = []
    for index in functions.indices {
      _ = visit(index, &path, &heights, &errors)
      guard errors.isEmpty else { break }
    }
    guard errors.isEmpty, let deepest = heights.max(by: { $0.value < $1.value }) else {
      return errors
    }
    guard deepest.value > RulesLimits.callDepth else { return [] }
    return [.error("Maximum allowed call depth of 20", at: functions[deepest.key].range)]
  }

  /// The number of calls below a function.
  ///
  /// The recursion is as deep as the chain, which a source of limited size bounds; chains beyond
  /// twice the limit are cut off, since they are errors already.
  private func visit(
    _ index: Int,
    _ path: inout [Int],
    _ heights: inout [Int: Int],
    _ errors: inout [RulesIssue]
  ) -> Int {
    if let height = heights[index] { return height }
    if let start = path.firstIndex(of: index) {
      errors.append(cycle(Array(path[start...])))
      return 0
    }
    guard path.count <= 2 * RulesLimits.callDepth else { return 0 }
    path.append(index)
    var height = 0
    for callee in functions[index].callees.sorted() where errors.isEmpty {
      height = max(height, 1 + visit(callee, &path, &heights, &errors))
    }
    path.removeLast()
    heights[index] = height
    return height
  }

  private func cycle(_ members: [Int]) -> RulesIssue {
    let range = functions[members[0]].range
    guard members.count > 1 else { return .error("Recursive call is not allowed.", at: range) }
    let names = members.map { functions[$0].name }.joined(separator: ",")
    return .error("Detected a call cycle between [\(names)] functions.", at: range)
  }
}
