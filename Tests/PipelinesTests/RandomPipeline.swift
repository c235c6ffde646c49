import BaseText
import FirestoreModel
import ModelTestSupport
import PipelineModel

/// Random documents and pipelines of a seed.
struct RandomPipeline {
  private var source: SeededSource
  /// True if the rows still have their names, so that a sort by name fixes their order.
  private var isNamed = true
  /// True if the order of the rows is fixed.
  private(set) var isOrdered = false
  /// True if the variable `w` is defined.
  private var isDefined = false

  init(seed: UInt64) { source = SeededSource(seed: seed) }

  private static let fields = ["a", "b", "tags", "m"]

  mutating func documents(_ count: Int) -> [(id: String, fields: MapValue)] {
    (0..<count).map { number in
      var entries: [MapValue.Entry] = []
      for name in ["a", "b"] where Int.random(in: 0..<6, using: &source) > 0 {
        entries.append(MapValue.Entry(key: Text(name), value: scalar()))
      }
      if Bool.random(using: &source) {
        let elements = (0..<Int.random(in: 0...3, using: &source)).map { _ in scalar() }
        entries.append(MapValue.Entry(key: "tags", value: .array(elements)))
      }
      if Bool.random(using: &source) {
        entries.append(
          MapValue.Entry(key: "m", value: .map(MapValue([.init(key: "x", value: scalar())])))
        )
      }
      return ("d\(number)", MapValue(entries))
    }
  }

  /// Documents below some of those.
  mutating func children(
    of parents: [(id: String, fields: MapValue)]
  ) -> [(path: ResourcePath, fields: MapValue)] {
    parents.flatMap { parent in
      documents(Int.random(in: 0...3, using: &source)).map { child in
        (ResourcePath(["c", Text(parent.id), "s", Text(child.id)]), child.fields)
      }
    }
  }

  private mutating func scalar() -> Value {
    switch Int.random(in: 0..<12, using: &source) {
    case 0: .null
    case 1: .double(.nan)
    case 2: .boolean(Bool.random(using: &source))
    case 3, 4: ["x", "y", "z"].randomElement(using: &source) ?? "x"
    case 5, 6: .double(Double(Int.random(in: 0...6, using: &source)) / 2)
    default: .integer(Int64.random(in: 0...3, using: &source))
    }
  }

  mutating func stages() -> [PipelineStage] {
    var stages = [input()]
    for _ in 0..<Int.random(in: 0...5, using: &source) { stages += stage() }
    return stages
  }

  private mutating func input() -> PipelineStage {
    switch Int.random(in: 0..<12, using: &source) {
    case 0:
      let paths = (0..<20).filter { _ in Bool.random(using: &source) }.map {
        PipelineOperand.path("/c/d\($0)")
      }
      return PipelineStage(name: "documents", arguments: paths + [.path("/c/last")])
    case 1:
      let id = Bool.random(using: &source) ? "c" : "s"
      return PipelineStage(
        name: "collection_group",
        arguments: [.path(""), .constant(.string(Text(id)))]
      )
    case 2:
      isNamed = false
      let rows = documents(3).map { PipelineOperand.constant(.map($0.fields)) }
      return PipelineStage(name: "literals", arguments: rows)
    case 3:
      return PipelineStage(
        name: "collection",
        arguments: [.path("/c")],
        options: ["force_index": .constant("primary")]
      )
    default: return PipelineStage(name: "collection", arguments: [.path("/c")])
    }
  }

  private mutating func stage() -> [PipelineStage] {
    switch Int.random(in: 0..<20, using: &source) {
    case 12, 13: return join()
    case 14, 15: return [define()]
    case 16: return isOrdered ? [count(Bool.random(using: &source) ? "limit" : "offset")] : []
    case 17: return [distinct()]
    case 18: return [replacement()]
    case 19: return [aggregate()]
    case 0...3: return [PipelineStage(name: "where", arguments: [condition(depth: 2)])]
    case 4, 5: return sort()
    case 6:
      isNamed = false
      return [
        PipelineStage(name: "select", arguments: [.map([entry("a"), entry("b"), entry("tags")])])
      ]
    case 7:
      return [
        PipelineStage(name: "add_fields", arguments: [.map([.init(key: "b", value: operand())])])
      ]
    case 8: return [PipelineStage(name: "remove_fields", arguments: [.field(path("a"))])]
    case 9:
      return [PipelineStage(name: "unnest", arguments: [.field(path("tags")), .field(path("b"))])]
        .map {
          // Rows of one document have one name.
          isOrdered = false
          isNamed = false
          return $0
        }
    case 10: return [aggregate()]
    default:
      guard isNamed else { return [] }
      isOrdered = false
      isNamed = false
      let defined = isDefined
      // The other pipeline does not see the variables of this one.
      isDefined = false
      defer { isDefined = defined }
      let inner = [
        PipelineStage(name: "collection", arguments: [.path("/c")]),
        PipelineStage(name: "where", arguments: [condition(depth: 1)]),
      ]
      return [PipelineStage(name: "union", arguments: [.pipeline(inner)])]
    }
  }

  /// The variable `w`, whose definition can't fail.
  private mutating func define() -> PipelineStage {
    let definitions = [operand(), call("equal", operand(), operand()), call("exists", operand())]
    let definition = definitions.randomElement(using: &source) ?? .field(path("a"))
    isDefined = true
    return PipelineStage(name: "let", arguments: [.map([.init(key: "w", value: definition)])])
  }

  private mutating func distinct() -> PipelineStage {
    let groups = groups()
    (isNamed, isOrdered, isDefined) = (false, false, false)
    return PipelineStage(name: "distinct", arguments: [.map(groups)])
  }

  private mutating func aggregate() -> PipelineStage {
    let arguments: [PipelineOperand] = [accumulators(isOrdered: isOrdered), .map(groups())]
    (isNamed, isOrdered, isDefined) = (false, false, false)
    return PipelineStage(name: "aggregate", arguments: arguments)
  }

  /// A field, a computed value that can't fail, or both.
  private mutating func groups() -> [PipelineOperand.Entry] {
    let computed = PipelineOperand.Entry(key: "b", value: call("equal", operand(), operand()))
    return switch Int.random(in: 0..<4, using: &source) {
    case 0: [computed]
    case 1: [entry("a"), computed]
    default: [entry("a")]
    }
  }

  private mutating func replacement() -> PipelineStage {
    let modes = ["full_replace", "merge_overwrite_existing", "merge_keep_existing"]
    let mode = modes.randomElement(using: &source) ?? "full_replace"
    let inner = PipelineOperand.map([.init(key: "x", value: operand())])
    let map = PipelineOperand.map([
      .init(key: "a", value: operand()), .init(key: "m", value: inner),
    ])
    return PipelineStage(name: "replace_with", arguments: [map, .constant(.string(Text(mode)))])
  }

  /// A variable, and a field with what a sub-pipeline finds by it: an array, or a count.
  private mutating func join() -> [PipelineStage] {
    let sought = [
      operand(), operand(), .field(.documentName), call("document_id", .field(.documentName)),
    ].randomElement(using: &source)
    let sides: [PipelineOperand] = [
      .field(path("a")), .field(path("a")), .field(path("b")), .field(path("m.x")),
      .field(.documentName), call("document_id", .field(.documentName)),
    ]
    let side = sides.randomElement(using: &source) ?? .field(path("a"))
    var key = call("equal", side, .variable("v"))
    if Bool.random(using: &source) { key = call("equal", .variable("v"), side) }
    if Int.random(in: 0..<3, using: &source) == 0 { key = call("and", key, condition(depth: 0)) }
    var inner = innerInput(key)
    var name = "array"
    switch Int.random(in: 0..<5, using: &source) {
    case 0 where sides.firstIndex(of: side) ?? 0 > 3:
      inner = [
        PipelineStage(name: "collection", arguments: [.path("/c")]),
        PipelineStage(name: "where", arguments: [key]),
      ]
      inner += oneByOne()
    case 0, 1:
      name = "scalar"
      inner.append(PipelineStage(name: "aggregate", arguments: [accumulators()]))
    case 2:
      inner += [
        PipelineStage(name: "sort", arguments: [order(.field(.documentName))]), count("limit"),
        PipelineStage(name: "select", arguments: [.map([entry("b")])]),
      ]
    case 3:
      inner += [
        PipelineStage(
          name: "sort",
          arguments: [order(.field(path("b"))), order(.field(.documentName))]
        ), count("limit"), PipelineStage(name: "select", arguments: [.map([entry("a")])]),
      ]
    default:
      inner += [
        PipelineStage(name: "sort", arguments: [order(.field(.documentName))]),
        PipelineStage(name: "select", arguments: [.map([entry("a"), entry("m")])]),
      ]
    }
    return [
      PipelineStage(
        name: "let",
        arguments: [.map([.init(key: "v", value: sought ?? .field(path("a")))])]
      ),
      PipelineStage(
        name: "add_fields",
        arguments: [.map([.init(key: "found", value: call(name, .pipeline(inner)))])]
      ),
    ]
  }

  /// Stages that take rows one by one, behind a condition that one document at most meets.
  private mutating func oneByOne() -> [PipelineStage] {
    var stages: [PipelineStage] = []
    if Int.random(in: 0..<4, using: &source) == 0 { stages.append(count("offset")) }
    if Bool.random(using: &source) {
      stages.append(PipelineStage(name: "where", arguments: [condition(depth: 1)]))
    }
    if Bool.random(using: &source) { stages.append(count("limit")) }
    stages.append(
      PipelineStage(name: "add_fields", arguments: [.map([.init(key: "b", value: operand())])])
    )
    // The times of documents, which the evaluator does not know, are in whole rows.
    return stages + [
      PipelineStage(name: "select", arguments: [.map([entry("a"), entry("b"), entry("m")])])
    ]
  }

  /// The beginning of a sub-pipeline: documents by a key, those below the row, or the same for each row.
  private mutating func innerInput(_ key: PipelineOperand) -> [PipelineStage] {
    let below = PipelineStage(name: "subcollection", arguments: [.constant("s")])
    let collection = PipelineStage(name: "collection", arguments: [.path("/c")])
    switch Int.random(in: 0..<8, using: &source) {
    case 0: return [below]
    case 1: return [below, PipelineStage(name: "where", arguments: [condition(depth: 1)])]
    case 2: return [below, PipelineStage(name: "where", arguments: [key])]
    case 3: return [collection, PipelineStage(name: "where", arguments: [condition(depth: 1)])]
    case 4:
      return [
        PipelineStage(name: "database", arguments: []),
        PipelineStage(name: "where", arguments: [key]),
      ]
    default: return [collection, PipelineStage(name: "where", arguments: [key])]
    }
  }

  /// A sort by values and names, perhaps with an offset and a limit; nothing where names are gone.
  private mutating func sort() -> [PipelineStage] {
    guard isNamed else { return [] }
    isOrdered = true
    var orders: [PipelineOperand] = []
    var stages: [PipelineStage] = []
    if Bool.random(using: &source) {
      let name = Bool.random(using: &source) ? "a" : "m.x"
      if Bool.random(using: &source) {
        stages.append(
          PipelineStage(name: "where", arguments: [call("exists", .field(path(name)))])
        )
      }
      orders.append(order(.field(path(name))))
    }
    orders.append(order(.field(.documentName)))
    stages.append(PipelineStage(name: "sort", arguments: orders))
    if Bool.random(using: &source) { stages.append(count("offset")) }
    if Bool.random(using: &source) { stages.append(count("limit")) }
    return stages
  }

  private mutating func count(_ name: String) -> PipelineStage {
    PipelineStage(
      name: name,
      arguments: [.constant(.integer(Int64.random(in: 0...6, using: &source)))]
    )
  }

  private mutating func order(_ operand: PipelineOperand) -> PipelineOperand {
    let direction: Value = Bool.random(using: &source) ? "ascending" : "descending"
    return .map([
      .init(key: "direction", value: .constant(direction)),
      .init(key: "expression", value: operand),
    ])
  }

  /// Accumulators of rows; those that depend on the order only where it is fixed.
  private mutating func accumulators(isOrdered: Bool = false) -> PipelineOperand {
    var entries: [PipelineOperand.Entry] = [
      .init(key: "n", value: .call(PipelineCall(name: "count", arguments: []))),
      .init(key: "most", value: call("maximum", .field(path("b")))),
      .init(key: "sum", value: call("sum", .field(path("b")))),
    ]
    var names = ["count", "minimum", "average", "count_distinct"]
    if isOrdered { names += ["first", "last", "array_agg", "array_agg_distinct"] }
    for (number, name) in names.enumerated() where Bool.random(using: &source) {
      entries.append(.init(key: Text("x\(number)"), value: call(name, operand())))
    }
    if Bool.random(using: &source) {
      let condition = call("equal", operand(), operand())
      entries.append(.init(key: "if", value: call("count_if", condition)))
    }
    return .map(entries.sorted { $0.key < $1.key })
  }

  private func entry(_ name: String) -> PipelineOperand.Entry {
    .init(key: Text(name), value: .field(path(name)))
  }

  private func path(_ text: String) -> FieldPath {
    FieldPath(text.split(separator: ".").map { Text(String($0)) })
  }

  private func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private mutating func operand() -> PipelineOperand {
    switch Int.random(in: 0..<(isDefined ? 7 : 5), using: &source) {
    case 0, 1: .constant(scalar())
    case 2: .field(path("m.x"))
    case 3: .field(path("b"))
    case 5, 6: .variable("w")
    default: .field(path("a"))
    }
  }

  private mutating func condition(depth: Int) -> PipelineOperand {
    let names = [
      "equal", "not_equal", "less_than", "less_than_or_equal", "greater_than",
      "greater_than_or_equal",
    ]
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &source) {
    case 0: return call("array_contains", .field(path("tags")), .constant(scalar()))
    case 1: return call("exists", operand())
    case 2:
      return call("equal_any", .field(path("a")), .constant(.array([scalar(), scalar()])))
    case 3: return call("equal", call("add", operand(), .constant(1)), operand())
    case 4, 5: return call(names.randomElement(using: &source) ?? "equal", operand(), operand())
    case 6: return call("not", condition(depth: depth - 1))
    default:
      return call(
        Bool.random(using: &source) ? "and" : "or",
        condition(depth: depth - 1),
        condition(depth: depth - 1)
      )
    }
  }
}
