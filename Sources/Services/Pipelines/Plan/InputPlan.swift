import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// The documents that an input ranges over.
struct InputScope: Hashable {
  let parent: ResourcePath
  let scope: Query.Scope

  init(collection: ResourcePath) {
    parent = collection.parent
    scope = .collection(collection.lastID ?? "")
  }

  init(group: Text) {
    parent = .root
    scope = .collectionGroup(group)
  }

  /// The whole database.
  init() {
    parent = .root
    scope = .descendants
  }

  /// A query for all documents of the scope.
  var query: Query { Query(parent: parent, scope: scope) }

  /// Returns true if a document may be in the scope, so that its name may be looked for there.
  func holds(_ path: ResourcePath) -> Bool {
    guard path.isDocument else { return false }
    return switch scope {
    case .collection(let id): path.parent == parent.appending(id)
    case .collectionGroup(let id): path.parent.lastID == id
    case .children, .descendants: false
    }
  }

  /// The path of the document with an ID in the one collection of the scope; nil where there can't be one.
  func path(ofDocument id: Value) -> ResourcePath? {
    guard case .collection(let collection) = scope, case .string(let text) = id,
      (try? ResourceID.checkDocument(text)) != nil
    else { return nil }
    return parent.appending(collection).appending(text)
  }

  var text: String {
    switch scope {
    case .collection(let id): "/" + parent.appending(id).string
    case .collectionGroup(let id): "**/\(id.string)"
    case .children, .descendants: "/"
    }
  }
}

/// The way in which the documents of an input are read.
struct InputPlan {
  let scope: InputScope
  let cursor: QueryCursor
  /// Queries that hold every document which the pipeline can see of the input; the rules may allow one by proof.
  let proofs: [NormalizedQuery]
  /// True if the query gives the rows in the order of the pipeline's sort.
  let isSorted: Bool
  /// True if the query ends with the rows that the pipeline's limit leaves.
  let isLimited: Bool
  /// Conditions that the query leaves to a filter, in the order in which they are to be evaluated.
  let residual: [Expression]
  let nodeName: String
  private let read: QueryPlan

  init(
    scope: InputScope,
    cursor: QueryCursor,
    proofs: [NormalizedQuery],
    isSorted: Bool,
    isLimited: Bool,
    residual: [Expression],
    nodeName: String,
    read: QueryPlan
  ) {
    self.scope = scope
    self.cursor = cursor
    self.proofs = proofs
    self.isSorted = isSorted
    self.isLimited = isLimited
    self.residual = residual
    self.nodeName = nodeName
    self.read = read
  }

  /// True if few documents are wanted and the query reads no others.
  var isDirect: Bool { isLimited && residual.isEmpty && !read.sortsInMemory }

  /// The input in words, for `explain`.
  var detail: String { "\(scope.text) \(read.text)" }
}

/// The stages right behind an input that filter and sort its documents before anything changes them.
struct InputPrefix {
  /// A condition, and the same as a classic query has it where it does.
  struct Condition {
    let expression: Expression
    let filter: Filter?
  }

  private(set) var conditions: [Condition] = []
  private(set) var orders: [SortOrder] = []
  /// Stages that belong to the prefix.
  private(set) var count = 0

  init(_ stages: [Stage], _ converter: FilterConverter) throws {
    for stage in stages {
      switch stage {
      case .filter(let expression):
        for part in expression.conjuncts {
          conditions.append(Condition(expression: part, filter: try converter.filter(part)))
        }
      case .sort(let orders): self.orders = orders
      default: return
      }
      count += 1
    }
  }

  /// The orders as a classic query has them, where conditions make sure that each document has the fields.
  var classicOrders: [Order]? {
    guard let (orders, optional) = fieldOrders, optional.isEmpty else { return nil }
    return orders
  }

  /// The same where documents may lack some of the fields, and those fields; nil where they may not, and without a sort.
  var lenientOrders: (orders: [Order], optional: Set<FieldPath>)? {
    guard let fieldOrders, !fieldOrders.optional.isEmpty else { return nil }
    return fieldOrders
  }

  /// The orders, and the fields of them that documents may lack; nil where a sort is by anything but fields.
  private var fieldOrders: (orders: [Order], optional: Set<FieldPath>)? {
    var result: [Order] = []
    var optional: Set<FieldPath> = []
    for order in orders {
      guard case .field(let path) = order.expression, path != .createTime, path != .updateTime
      else { return nil }
      result.append(Order(path, order.isDescending ? .descending : .ascending))
      if path.isDocumentName { break }
      if !conditions.contains(where: { isPresent(path, $0) }) { optional.insert(path) }
    }
    return (result, optional)
  }

  private func isPresent(_ path: FieldPath, _ condition: Condition) -> Bool {
    if case .field(path, _, _)? = condition.filter { return true }
    return isExistence(condition.expression, of: path)
  }

  /// Returns true if a condition only asks for a field that an order asks for anyway.
  func isExistence(_ expression: Expression, of path: FieldPath) -> Bool {
    guard case .call(let function, let arguments) = expression, function.name == "exists",
      case .field(path) = arguments[0]
    else { return false }
    return true
  }
}
