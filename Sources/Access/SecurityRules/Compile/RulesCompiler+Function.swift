import BaseText

/// The names that an expression may use.
struct RulesScope {
  /// A function with what its body needs to be compiled.
  struct Function {
    let index: Int
    let parameters: Int
    let range: Range<Int>
  }

  var service: RulesService
  /// Innermost last.
  private var functions: [[Text: Function]] = []
  private var captures: [Text: Int] = [:]
  private var captureCount = 0
  private(set) var locals: [Text: Int] = [:]

  init(service: RulesService) { self.service = service }

  /// An inner capture hides an outer one of the same name.
  mutating func addCapture(_ name: Text) {
    captures[name] = captureCount
    captureCount += 1
  }

  mutating func enter(_ declared: [Text: Function]) { functions.append(declared) }

  mutating func addLocal(_ name: Text) { locals[name] = locals.count }

  /// A function's body sees nothing of its caller.
  var forBody: RulesScope {
    var scope = self
    scope.locals = [:]
    return scope
  }

  func function(_ name: Text) -> Function? {
    for level in functions.reversed() {
      if let function = level[name] { return function }
    }
    return nil
  }

  /// The operation that a variable's name stands for here; nil for unknown names.
  func variable(_ name: Text) -> Node.Operation? {
    if let local = locals[name] { return .local(local) }
    if let capture = captures[name] { return .capture(capture) }
    switch name.string {
    case "request": return .request
    case "resource": return .resource
    default: return nil
    }
  }
}

extension RulesCompiler {
  /// Declares a block's functions, and compiles their bodies in its scope.
  mutating func enterFunctions(_ declarations: [FunctionDeclaration]) {
    var declared: [Text: RulesScope.Function] = [:]
    for declaration in declarations {
      if declared[declaration.name] != nil {
        fail("Function \(declaration.name.string) is already defined.", declaration.range)
        continue
      }
      declared[declaration.name] = RulesScope.Function(
        index: functions.count,
        parameters: declaration.parameters.count,
        range: declaration.range
      )
      calls.add(declaration.name.string, at: declaration.range)
      functions.append(nil)
    }
    scope.enter(declared)
    for declaration in declarations {
      guard let function = declared[declaration.name], function.range == declaration.range else {
        continue
      }
      functions[function.index] = body(of: declaration, index: function.index)
    }
  }

  private mutating func body(of function: FunctionDeclaration, index: Int) -> CompiledFunction {
    let outer = (scope, caller)
    defer { (scope, caller) = outer }
    scope = scope.forBody
    caller = index
    check(function)
    for parameter in function.parameters { scope.addLocal(parameter.name) }
    var bindings: [Node] = []
    for binding in function.bindings {
      if scope.locals[binding.name] != nil {
        fail(
          "The identifier [\(binding.name.string)] is already bound in the current scope.",
          binding.range
        )
      }
      checkVariable(binding.name, binding.range)
      bindings.append(node(binding.value))
      scope.addLocal(binding.name)
    }
    let result = node(function.result)
    warnUnused(function)
    return CompiledFunction(
      parameters: function.parameters.count,
      bindings: bindings,
      result: result
    )
  }

  private mutating func check(_ function: FunctionDeclaration) {
    if function.parameters.count > RulesLimits.parameters {
      fail(
        "Maximum allowed function arguments of 7 for function \(function.name.string) is reached.",
        function.range
      )
    }
    if function.bindings.count > RulesLimits.bindings {
      fail(
        "Maximum allowed variable count of 10 for a given function has been reached.",
        function.range
      )
    }
    var names: Set<Text> = []
    for parameter in function.parameters {
      checkVariable(parameter.name, parameter.range)
      if !names.insert(parameter.name).inserted {
        fail("Variable \(parameter.name.string) is already defined.", parameter.range)
      }
    }
  }

  private mutating func warnUnused(_ function: FunctionDeclaration) {
    guard !function.bindings.isEmpty else { return }
    var used: Set<Text> = []
    for binding in function.bindings { binding.value.collectVariables(into: &used) }
    function.result.collectVariables(into: &used)
    for binding in function.bindings where !used.contains(binding.name) {
      warn("Unused variable: \(binding.name.string).", binding.range)
    }
  }
}
