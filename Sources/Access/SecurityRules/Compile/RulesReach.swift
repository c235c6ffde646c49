/// Decides if conditions can hold at all for callers of a kind, for any request: those who are
/// signed in, or those who are not.
///
/// Values are followed as far as they are the same for every request: constants, `request.auth` where
/// there is none, and what comes of these. Everything else may be anything, so "cannot hold" is
/// certain and "may hold" is not.
struct RulesReach {
  /// The knowledge about an expression's value.
  private enum Known: Hashable {
    case null
    case boolean(Bool)
    /// Neither null nor a boolean.
    case other
    /// Its evaluation fails.
    case fault
    /// False, or its evaluation fails.
    case notTrue
    case unknown

    var mayBeTrue: Bool { self == .boolean(true) || self == .unknown }
  }

  private struct FunctionCall: Hashable {
    let function: Int
    let arguments: [Known]
  }

  private let functions: [CompiledFunction]
  private let isSignedIn: Bool
  private var results: [FunctionCall: Known] = [:]
  /// Nodes that are still looked at; beyond them everything is unknown.
  private var remaining = 100_000

  init(_ functions: [CompiledFunction], isSignedIn: Bool) {
    self.functions = functions
    self.isSignedIn = isSignedIn
  }

  /// Returns true if the condition of an allow statement may hold; nil is "always".
  mutating func mayHold(_ condition: Node?) -> Bool {
    guard let condition else { return true }
    return value(condition, []).mayBeTrue
  }

  private mutating func value(_ node: Node, _ locals: [Known]) -> Known {
    remaining -= 1
    guard remaining > 0 else { return .unknown }
    switch node.operation {
    case .constant(let constant): return known(constant)
    case .fault: return .fault
    case .local(let index): return locals.indices.contains(index) ? locals[index] : .unknown
    case .member(let object, let name):
      if case .request = object.operation, name == "auth" { return isSignedIn ? .other : .null }
      return part(of: value(object, locals))
    case .not(let operand): return opposite(value(operand, locals))
    case .and(let left, let right): return logical(left, right, stop: false, locals)
    case .or(let left, let right): return logical(left, right, stop: true, locals)
    case .conditional(let condition, let first, let second):
      return conditional(value(condition, locals), first, second, locals)
    case .binary(let kind, let left, let right):
      return binary(kind, value(left, locals), value(right, locals))
    case .call(let function, let arguments):
      return call(function, arguments.map { value($0, locals) })
    case .index, .slice, .method, .regex:
      let operands = node.operands.map { value($0, locals) }
      return operands.contains(.fault) || operands.first == .null ? .fault : .unknown
    default:
      return node.operands.contains { value($0, locals) == .fault } ? .fault : .unknown
    }
  }

  private func known(_ constant: RulesValue) -> Known {
    switch constant {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    default: .other
    }
  }

  private func part(of object: Known) -> Known {
    switch object {
    case .null, .boolean, .fault, .notTrue: .fault
    case .other, .unknown: .unknown
    }
  }

  private func opposite(_ operand: Known) -> Known {
    switch operand {
    case .boolean(let flag): .boolean(!flag)
    case .unknown, .notTrue: .unknown
    case .null, .other, .fault: .fault
    }
  }

  /// `&&` and `||`: the deciding value wins over an error on either side.
  private mutating func logical(
    _ left: Node,
    _ right: Node,
    stop: Bool,
    _ locals: [Known]
  ) -> Known {
    let operands = [value(left, locals), value(right, locals)]
    if operands.contains(.boolean(stop)) { return .boolean(stop) }
    if operands.allSatisfy({ $0 == .boolean(!stop) }) { return .boolean(!stop) }
    let mayHold = stop ? operands.contains(where: \.mayBeTrue) : operands.allSatisfy(\.mayBeTrue)
    return mayHold ? .unknown : .notTrue
  }

  private mutating func conditional(
    _ condition: Known,
    _ first: Node,
    _ second: Node,
    _ locals: [Known]
  ) -> Known {
    switch condition {
    case .boolean(let flag): return value(flag ? first : second, locals)
    case .null, .other, .fault: return .fault
    case .notTrue: return either(.fault, value(second, locals))
    case .unknown: return either(value(first, locals), value(second, locals))
    }
  }

  private func either(_ one: Known, _ other: Known) -> Known {
    if one == other { return one }
    let isTrueNowhere = [one, other].allSatisfy {
      $0 == .boolean(false) || $0 == .fault || $0 == .notTrue
    }
    return isTrueNowhere ? .notTrue : .unknown
  }

  private func binary(_ kind: BinaryOperator, _ left: Known, _ right: Known) -> Known {
    if left == .fault || right == .fault { return .fault }
    guard kind == .equal || kind == .notEqual else { return .unknown }
    let isEqual: Bool
    switch (left, right) {
    case (.unknown, _), (_, .unknown), (.notTrue, _), (_, .notTrue), (.other, .other):
      return .unknown
    default: isEqual = left == right
    }
    return .boolean(isEqual == (kind == .equal))
  }

  /// Functions do not recur, and their variables are evaluated where they are used.
  private mutating func call(_ index: Int, _ arguments: [Known]) -> Known {
    let call = FunctionCall(function: index, arguments: arguments)
    if let known = results[call] { return known }
    let function = functions[index]
    var locals = arguments
    for binding in function.bindings { locals.append(value(binding, locals)) }
    let result = value(function.result, locals)
    results[call] = result
    return result
  }
}
