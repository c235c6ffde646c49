import BaseText

/// Evaluates conditions for one operation.
///
/// Errors are values of the language: Swift's `throw` carries them, `&&`, `||` and unused arguments
/// absorb them. Every evaluated node costs one of the operation's budget, and the evaluated right
/// side of `&&` and `||`, a binding and a ternary more; recursion cannot be deeper than the budget.
/// The session's steps count the operands of a node. Once either is used up every node is an error.
final class Evaluator {
  let session: RulesSession
  /// The matched path with its captures.
  @exclusivity(unchecked) var match = PathMatch.known([])
  @exclusivity(unchecked) var observer: RulesObserver?
  private let request: RulesValue
  private let resource: RulesValue
  /// The slots of all calls that are being evaluated, one call's behind those of its caller.
  @exclusivity(unchecked) private var slots: [Slot] = []
  @exclusivity(unchecked) private var remaining = RulesLimits.evaluations
  @exclusivity(unchecked) private var exhaustion = Exhaustion.nodes

  init(session: RulesSession, request: RulesValue, resource: RulesValue) {
    self.session = session
    self.request = request
    self.resource = resource
  }

  /// The budget that is used up.
  private enum Exhaustion {
    case nodes, work

    var message: String {
      let limit =
        switch self {
        case .nodes: "\(RulesLimits.evaluations) expressions to evaluate"
        case .work: "\(RulesLimits.steps) steps of work"
        }
      return "Unable to evaluate the expression as the maximum of \(limit) has been reached."
    }
  }

  /// The place of a call's first slot: its arguments and then its `let`s, in their order.
  typealias Frame = Int

  /// An argument or `let` of a call; one that failed matters when it is used.
  private enum Slot {
    case value(RulesValue)
    case fault(RulesFault)
  }

  func outcome(of condition: Node?) -> RulesAttempt.Outcome {
    guard let condition else { return .allowed }
    do throws(RulesFault) {
      let value = try evaluate(condition, slots.count)
      if case .boolean(true) = value { return .allowed }
      return .notTrue(value)
    } catch {
      return .failed(error)
    }
  }

  func evaluate(_ node: Node, _ frame: Frame) throws(RulesFault) -> RulesValue {
    remaining -= 1
    guard remaining >= 0 else { throw fault(exhaustion.message, node) }
    guard let observer else { return try compute(node, frame) }
    do throws(RulesFault) {
      let value = try compute(node, frame)
      observer.note(node, value)
      return value
    } catch {
      observer.note(node, error)
      throw error
    }
  }

  func fault(_ message: String, _ node: Node, isUndetermined: Bool = false) -> RulesFault {
    RulesFault(message: message, range: node.range, isUndetermined: isUndetermined)
  }

  func typeFault(_ value: RulesValue, _ expected: String, _ node: Node) -> RulesFault {
    if case .null = value { return fault("Null value error.", node) }
    return fault("Type error. Received: [\(value.typeName)] Expected: [\(expected)].", node)
  }

  /// Ends the operation for the work that it took.
  func exhausted(_ node: Node) -> RulesFault {
    remaining = 0
    exhaustion = .work
    return fault(exhaustion.message, node)
  }

  /// Charges nodes that have no node of their own.
  private func charge(_ count: Int) { remaining -= count }

  private func compute(_ node: Node, _ frame: Frame) throws(RulesFault) -> RulesValue {
    switch node.operation {
    case .constant(let value): return value
    case .fault(let message): throw fault(message, node)
    case .request: return request
    case .resource: return resource
    case .local(let index): return try local(index, frame)
    case .capture(let index):
      guard let value = match.capture(index) else { throw fault("Null value error.", node) }
      return value
    case .member(let object, let name): return try member(evaluate(object, frame), name, node)
    case .binary(let kind, let left, let right):
      return try binary(kind, evaluate(left, frame), evaluate(right, frame), node)
    case .and(let left, let right): return try logical(left, right, stop: false, frame)
    case .or(let left, let right): return try logical(left, right, stop: true, frame)
    case .call(let function, let arguments): return try call(function, arguments, frame)
    default: return try computeRare(node, frame)
    }
  }

  private func computeRare(_ node: Node, _ frame: Frame) throws(RulesFault) -> RulesValue {
    switch node.operation {
    case .list(let elements): return .list(try list(elements, frame))
    case .map(let entries): return try map(entries, frame)
    case .path(let parts): return try path(parts, frame, node)
    case .index(let object, let index):
      return try element(evaluate(object, frame), evaluate(index, frame), node)
    case .slice(let object, let from, let to): return try slice(object, from, to, frame, node)
    case .builtin(let builtin, let arguments):
      return try apply(builtin, list(arguments, frame, allowsSymbols: builtin == .debug), node)
    case .method(let object, let method, let arguments):
      let receiver = try evaluate(object, frame)
      return try apply(method, receiver, list(arguments, frame, allowsSymbols: true), node)
    case .regex(let object, let method, let regex, let arguments):
      let receiver = try evaluate(object, frame)
      let values = try list(arguments, frame)
      return try apply(regex, method, receiver, values, node)
    case .not(let operand):
      guard case .boolean(let flag) = try evaluate(operand, frame) else {
        throw fault("Type error. Expected: [bool].", node)
      }
      return .boolean(!flag)
    case .negate(let operand): return try negated(evaluate(operand, frame), node)
    case .conditional(let condition, let first, let second):
      guard case .boolean(let flag) = try evaluate(condition, frame) else {
        throw fault("Type error. Expected: [bool].", node)
      }
      charge(flag ? 1 : 3)
      return try evaluate(flag ? first : second, frame)
    case .typeTest(let operand, let type):
      charge(1)
      return try typeTest(evaluate(operand, frame), type, node)
    default: preconditionFailure("an operation without evaluation")
    }
  }

  /// Tests a value's type; a query's promises about a field do not tell its type.
  private func typeTest(
    _ value: RulesValue,
    _ type: RulesType,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    if case .constraint = value, value.isSymbolic {
      throw fault("The query does not determine the type.", node, isUndetermined: true)
    }
    return .boolean(type.holds(value))
  }

  private func local(_ index: Int, _ frame: Frame) throws(RulesFault) -> RulesValue {
    switch slots[frame + index] {
    case .value(let value): return value
    case .fault(let fault): throw fault
    }
  }

  private func slot(_ node: Node, _ frame: Frame) -> Slot {
    do throws(RulesFault) { return .value(try evaluate(node, frame)) } catch {
      return .fault(error)
    }
  }

  private func call(
    _ index: Int,
    _ arguments: [Node],
    _ caller: Frame
  ) throws(RulesFault) -> RulesValue {
    let function = session.ruleset.functions[index]
    let frame = slots.count
    defer { slots.removeLast(slots.count - frame) }
    for argument in arguments {
      let slot = slot(argument, caller)
      slots.append(slot)
    }
    for binding in function.bindings {
      charge(1)
      let slot = slot(binding, frame)
      slots.append(slot)
    }
    return try evaluate(function.result, frame)
  }

  /// `&&` and `||`: the deciding value wins over an error on either side, and an unknown value over
  /// other errors.
  private func logical(
    _ left: Node,
    _ right: Node,
    stop: Bool,
    _ frame: Frame
  ) throws(RulesFault) -> RulesValue {
    var failure: RulesFault?
    do throws(RulesFault) {
      if try boolean(left, frame) == stop { return .boolean(stop) }
    } catch {
      failure = error
    }
    charge(1)
    do throws(RulesFault) {
      if try boolean(right, frame) == stop { return .boolean(stop) }
    } catch {
      throw error.isUndetermined ? error : failure ?? error
    }
    if let failure { throw failure }
    return .boolean(!stop)
  }

  private func boolean(_ node: Node, _ frame: Frame) throws(RulesFault) -> Bool {
    guard case .boolean(let flag) = try evaluate(node, frame) else {
      throw fault("Type error. Expected: [bool].", node)
    }
    return flag
  }

  /// Evaluates all; symbolic values are refused unless they are allowed.
  private func list(
    _ elements: [Node],
    _ frame: Frame,
    allowsSymbols: Bool = false
  ) throws(RulesFault) -> [RulesValue] {
    var values: [RulesValue] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      let value = try evaluate(element, frame)
      if !allowsSymbols, value.isSymbolic { throw undetermined(element) }
      values.append(value)
    }
    return values
  }

  func undetermined(_ node: Node) -> RulesFault {
    fault("The query does not determine the value.", node, isUndetermined: true)
  }

  private func map(_ entries: [Node.Entry], _ frame: Frame) throws(RulesFault) -> RulesValue {
    var result: [Text: RulesValue] = [:]
    for entry in entries {
      let key = try evaluate(entry.key, frame)
      guard case .string(let name) = key else { throw typeFault(key, "string", entry.key) }
      let value = try evaluate(entry.value, frame)
      if value.isSymbolic { throw undetermined(entry.value) }
      result[name] = value
    }
    return .map(RulesMap(result))
  }

  private func path(
    _ parts: [Node.PathPart],
    _ frame: Frame,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    var segments: [RulesPath.Segment] = []
    var bindings: [Text: RulesValue] = [:]
    for part in parts {
      switch part {
      case .segment(let segment):
        charge(1)
        segments.append(segment)
      case .interpolation(let inner):
        let value = try evaluate(inner, frame)
        if case .path(let path) = value {
          try spend(path.segments.count * 2, inner)
          try checkSize(segments.count + path.segments.count, "path", inner)
          segments += path.segments
          bindings.merge(path.bindings) { $1 }
        } else if let text = value.converted {
          segments.append(.text(text))
        } else {
          throw typeFault(value, "path,string,int,float,bool,null", inner)
        }
      }
    }
    return .path(try checked(RulesPath(segments, bindings: bindings), node))
  }

  func checked(_ path: RulesPath, _ node: Node) throws(RulesFault) -> RulesPath {
    guard let name = path.repeatedName else { return path }
    throw fault("Variable \(name.string) already exists in the PathTemplate.", node)
  }

  private func slice(
    _ object: Node,
    _ from: Node?,
    _ to: Node?,
    _ frame: Frame,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    let value = try evaluate(object, frame)
    var bounds: [RulesValue?] = []
    for bound in [from, to] {
      if let bound {
        bounds.append(try evaluate(bound, frame))
      } else {
        charge(1)
        bounds.append(nil)
      }
    }
    return try slice(value, bounds[0], bounds[1], node)
  }
}
