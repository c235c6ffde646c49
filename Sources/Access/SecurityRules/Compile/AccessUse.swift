/// The conditions that may read documents: those that call `get()` or its kin, themselves or
/// through functions.
struct AccessUse {
  private let functions: [CompiledFunction]
  private var known: [Int: Bool] = [:]

  init(_ functions: [CompiledFunction]) { self.functions = functions }

  /// Returns true if evaluating the node may read a document.
  mutating func reads(_ node: Node) -> Bool {
    switch node.operation {
    case .builtin(let builtin, _) where builtin.isAccess: return true
    case .call(let index, _) where reads(function: index): return true
    default: return node.operands.contains { reads($0) }
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
