import BaseText
import FirestoreModel

/// The condition by which a sub-pipeline finds its rows: a field of theirs equals a value that the outer row alone decides.
struct JoinKey {
  /// The side of the condition that belongs to the inner rows.
  enum Side {
    case name
    case id
    case field(FieldPath)
  }

  let scope: InputScope
  let side: Side
  /// The side of the outer row.
  let outer: Expression

  /// The key of a sub-pipeline; nil where each outer row has to run it by itself.
  ///
  /// A limit right behind the condition reads less than all rows of a key, so only names are looked up then.
  init?(_ plan: StagePlan) {
    switch plan.input {
    case .collection(let path): scope = InputScope(collection: path)
    case .collectionGroup(let id): scope = InputScope(group: id)
    case .database, .documents, .literals, .subcollection: return nil
    }
    var found: [(side: Side, outer: Expression)] = []
    var isLimited = false
    search: for stage in plan.stages {
      switch stage {
      case .filter(let condition):
        found += condition.conjuncts.compactMap(Self.sides)
      case .sort: continue
      case .limit, .offset:
        isLimited = true
        break search
      default: break search
      }
    }
    let isOneCollection = if case .collection = scope.scope { true } else { false }
    let usable = found.filter { isOneCollection || !$0.side.isID }
    guard let best = usable.first(where: { $0.side.isUnique }) ?? (isLimited ? nil : usable.first)
    else { return nil }
    side = best.side
    outer = best.outer
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

  /// The name of the only document that has the value as its name or ID; nil where none can.
  func path(of value: Value?, in database: DatabaseID) -> ResourcePath? {
    switch (side, value) {
    case (.name, .reference(let name)?):
      name.database == database && scope.holds(name.path) ? name.path : nil
    case (.id, let value?): scope.path(ofDocument: value)
    default: nil
    }
  }

  /// The field in words, for `explain`.
  var text: String {
    switch side {
    case .name, .id: "__name__"
    case .field(let path): path.canonicalString
    }
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

  var isID: Bool { if case .id = self { true } else { false } }
}

/// The value that an outer row looks for; an absent one equals no null.
struct JoinValue: Hashable {
  let value: Value?
  private let isAbsent: Bool
  private let key: GroupKey

  init(_ value: Value?) {
    self.value = value
    isAbsent = value == nil
    key = GroupKey([value])
  }

  static func == (left: JoinValue, right: JoinValue) -> Bool {
    left.isAbsent == right.isAbsent && left.key == right.key
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(isAbsent)
    hasher.combine(key)
  }
}
