/// Which conditions may read documents: those that call `get()` or its kin, themselves or through
/// functions.
struct AccessUse {
  private let functions: [CompiledFunction]
  private var known: [Int: Bool] = [:]

  init(_ functions: [CompiledFunction]) { self.functions = functions }

  /// Whether evaluating the node may read a document.
  mutating func reads(_ node: Node) -> Bool {
    switch node.operation {
    case .builtin(let builtin, _) where builtin.isAccess: return true
    case .call(let index, _) where reads(function: index): return true
    default: return node.children.contains { reads($0) }
    }
  }

  /// Functions do not recur: such a ruleset does not compile.
  private mutating func reads(function index: Int) -> Bool {
    if let known = known[index] { return known }
    let function = functions[index]
    let result = (function.bindings + [function.result]).contains { reads($0) }
    known[index] = result
    return result
  }
}

extension Node {
  /// The nodes directly below.
  fileprivate var children: [Node] {
    switch operation {
    case .constant, .fault, .request, .resource, .local, .capture: []
    case .list(let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .path(let parts):
      parts.compactMap { if case .interpolation(let inner) = $0 { inner } else { nil } }
    case .member(let inner, _), .not(let inner), .negate(let inner), .typeTest(let inner, _),
      .parenthesized(let inner):
      [inner]
    case .index(let object, let index): [object, index]
    case .slice(let object, let from, let to): [object] + [from, to].compactMap { $0 }
    case .call(_, let arguments), .builtin(_, let arguments): arguments
    case .method(let object, _, let arguments), .regex(let object, _, _, let arguments):
      [object] + arguments
    case .and(let left, let right), .or(let left, let right), .binary(_, let left, let right):
      [left, right]
    case .conditional(let condition, let first, let second): [condition, first, second]
    }
  }
}
