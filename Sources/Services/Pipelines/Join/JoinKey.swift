import BaseText
import FirestoreModel

/// The rows that a sub-pipeline wants of its input: those of which a field equals a value that the outer row alone decides,
/// or those below the outer row.
struct JoinKey {
  /// The side of the condition that belongs to the inner rows.
  enum Side {
    case name
    case id
    case field(FieldPath)
  }

  /// The documents among which the rows are.
  enum Source {
    case scope(InputScope, Side)
    /// The collection of that path below the outer row.
    case children([Text])
  }

  let source: Source
  /// The side of the outer row.
  let outer: Expression
  /// The number, among the conditions of the prefix, of one that every document of a value meets;
  /// nil where documents may fail it.
  let metCondition: Int?

  /// The key of a sub-pipeline; nil where each outer row has to run it by itself.
  ///
  /// There is none where the request names the index of the input. A limit right behind the
  /// conditions reads less than all rows of a key where no sort stands in between that needs them
  /// all; only names are looked up then.
  ///
  /// - Parameter prefix: The beginning of the sub-pipeline as an index could serve it.
  static func key(
    of plan: StagePlan,
    prefix: (InputScope) throws -> InputPrefix
  ) rethrows -> JoinKey? {
    guard plan.index == nil else { return nil }
    let scope: InputScope
    switch plan.input {
    case .collection(let path): scope = InputScope(collection: path)
    case .collectionGroup(let id): scope = InputScope(group: id)
    case .database: scope = InputScope()
    case .subcollection(let segments):
      let prefix = try prefix(InputScope(group: segments.last ?? ""))
      // With a value of the outer row an index may find few of the documents.
      let isWhole = !prefix.conditions.contains(where: \.expression.usesVariables)
      return isWhole && !prefix.readsLess
        ? JoinKey(
          source: .children(segments),
          outer: .field(.documentName),
          metCondition: nil
        ) : nil
    case .documents, .literals: return nil
    }
    let prefix = try prefix(scope)
    let usable = prefix.conditions.compactMap { condition in
      sides(condition.expression).map { (number: condition.number, side: $0.side, outer: $0.outer) }
    }.filter { known in
      switch (known.side, scope.scope) {
      case (.field, _), (.id, .collection), (.name, .collection), (.name, .collectionGroup): true
      default: false
      }
    }
    let isLimited = prefix.readsLess
    guard let best = usable.first(where: { $0.side.isUnique }) ?? (isLimited ? nil : usable.first)
    else { return nil }
    return JoinKey(
      source: .scope(scope, best.side),
      outer: best.outer,
      metCondition: best.side.isUnique ? best.number : nil
    )
  }

  private static func sides(_ condition: Expression) -> (side: Side, outer: Expression)? {
    guard case .call(let function, let arguments) = condition, function.name == "equal" else {
      return nil
    }
    return side(arguments[0], arguments[1]) ?? side(arguments[1], arguments[0])
  }

  private static func side(
    _ inner: Expression,
    _ outer: Expression
  ) -> (side: Side, outer: Expression)? {
    guard outer.isFixed, outer.usesVariables else { return nil }
    if inner.isOwnDocumentID { return (.id, outer) }
    guard case .field(let path) = inner, path != .createTime, path != .updateTime else {
      return nil
    }
    return (path.isDocumentName ? .name : .field(path), outer)
  }

  /// The operator that reads ahead, for `explain`.
  var nodeName: String {
    switch source {
    case .scope(_, let side): side.isUnique ? "LookupById" : "IndexSeek"
    case .children: "SeekingScan"
    }
  }

  /// The documents and the field in words, for `explain`.
  var text: String {
    switch source {
    case .scope(let scope, .field(let path)): "\(scope.text) by \(path.canonicalString)"
    case .scope(let scope, _): "\(scope.text) by __name__"
    case .children(let segments): "./\(segments.map(\.string).joined(separator: "/")) by parent"
    }
  }
}

extension InputScope {
  /// The name of the only document that has the value as its name or ID; nil where none can.
  func path(_ side: JoinKey.Side, of value: Value?, in database: DatabaseID) -> ResourcePath? {
    switch (side, value) {
    case (.name, .reference(let name)?):
      name.database == database && holds(name.path) ? name.path : nil
    case (.id, let value?): path(ofDocument: value)
    default: nil
    }
  }

  /// The collection of a path below a row's document; nil where the row has no name or the path would be too deep.
  init?(_ segments: [Text], below name: DocumentName?) {
    guard let name, name.path.isDocument else { return nil }
    let path = ResourcePath(name.path.segments + segments)
    guard path.segments.count < 2 * Limits.collectionDepth else { return nil }
    self.init(collection: path)
  }
}

extension InputPrefix {
  /// True where the stages behind the prefix take the first rows only, and the documents need not all be read for that: no
  /// sort stands in between, or one that an index may have done.
  fileprivate var readsLess: Bool {
    for stage in stages.dropFirst(count) {
      switch stage {
      case .define: continue
      case .limit, .offset: return orders.isEmpty || classicOrders != nil
      default: return false
      }
    }
    return false
  }
}

extension JoinKey.Side {
  /// True where one document at most has a value.
  var isUnique: Bool {
    switch self {
    case .name, .id: true
    case .field: false
    }
  }
}

/// The value that an outer row looks for; an absent one equals no null.
struct JoinValue: Hashable {
  let value: Value?
  /// The value as one of those that are equal.
  private let key: Value?
  /// Computed once: each value is looked for several times.
  private let keyHash: Int

  init(_ value: Value?) {
    self.value = value
    key = value.map(GroupKey.canonical)
    keyHash = key.hashValue
  }

  static func == (left: JoinValue, right: JoinValue) -> Bool {
    left.keyHash == right.keyHash && left.key == right.key
  }

  func hash(into hasher: inout Hasher) { hasher.combine(keyHash) }
}
