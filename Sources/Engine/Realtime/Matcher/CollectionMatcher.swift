import DocumentCodec
import FirestoreModel

/// The views over one collection, or over all collections of one id, by what they require of a field.
///
/// Each alternative of a view's filter that demands an equality is filed under that field and value,
/// so that a change only meets the views that its document's values name. Views without one meet
/// every change.
struct CollectionMatcher {
  /// Views by the encoded value that they require.
  private typealias ViewsByValue = [[UInt8]: [View]]

  private var equal: [FieldPath: ViewsByValue] = [:]
  private var containing: [FieldPath: ViewsByValue] = [:]
  private var unconditional: [View] = []

  var isEmpty: Bool { equal.isEmpty && containing.isEmpty && unconditional.isEmpty }

  mutating func add(_ view: View, _ query: NormalizedQuery) {
    guard let anchors = anchors(of: query) else {
      view.slot = unconditional.count
      unconditional.append(view)
      return
    }
    for anchor in anchors {
      switch anchor {
      case .equal(let field, let value): equal[field, default: [:]][value, default: []].append(view)
      case .containing(let field, let value):
        containing[field, default: [:]][value, default: []].append(view)
      }
    }
  }

  mutating func remove(_ view: View, _ query: NormalizedQuery) {
    if view.slot < unconditional.count, unconditional[view.slot] === view {
      let last = unconditional.removeLast()
      guard last !== view else { return }
      last.slot = view.slot
      unconditional[view.slot] = last
      return
    }
    for condition in query.disjuncts.joined() {
      if let value = condition.equalValue {
        Self.remove(view, from: &equal, condition.field, Self.bytes(value))
      }
      if case .arrayContains(let value) = condition.test {
        Self.remove(view, from: &containing, condition.field, Self.bytes(value))
      }
    }
  }

  /// Hands out the views that a change may concern; some more than once.
  func forEachCandidate(_ change: BatchChange, _ body: (View) -> Void) {
    for view in unconditional { body(view) }
    for record in [change.old, change.new] {
      guard let record else { continue }
      for (field, views) in equal {
        guard let value = Self.bytes(of: record, at: field) else { continue }
        for view in views[value] ?? [] { body(view) }
      }
      for (field, views) in containing { Self.elements(of: record, at: field, views, body) }
    }
  }

  // MARK: Anchors

  private enum Anchor {
    case equal(FieldPath, [UInt8])
    case containing(FieldPath, [UInt8])
  }

  /// One anchor an alternative, of several possible the one that the fewest views have; nil where an
  /// alternative has none.
  private func anchors(of query: NormalizedQuery) -> [Anchor]? {
    var anchors: [Anchor] = []
    for disjunct in query.disjuncts {
      var best: (anchor: Anchor, crowd: Int)?
      for condition in disjunct {
        guard let candidate = candidate(condition) else { continue }
        if best.map({ candidate.crowd < $0.crowd }) ?? true { best = candidate }
      }
      guard let best else { return nil }
      anchors.append(best.anchor)
    }
    return anchors
  }

  private func candidate(_ condition: Condition) -> (anchor: Anchor, crowd: Int)? {
    if let value = condition.equalValue {
      let bytes = Self.bytes(value)
      return (.equal(condition.field, bytes), equal[condition.field]?[bytes]?.count ?? 0)
    }
    guard case .arrayContains(let value) = condition.test else { return nil }
    let bytes = Self.bytes(value)
    return (.containing(condition.field, bytes), containing[condition.field]?[bytes]?.count ?? 0)
  }

  private static func remove(
    _ view: View,
    from table: inout [FieldPath: ViewsByValue],
    _ field: FieldPath,
    _ value: [UInt8]
  ) {
    guard let index = table[field]?[value]?.firstIndex(where: { $0 === view }) else { return }
    table[field]?[value]?.remove(at: index)
    if table[field]?[value]?.isEmpty == true { table[field]?[value] = nil }
    if table[field]?.isEmpty == true { table[field] = nil }
  }

  // MARK: Values

  /// Equal values have equal bytes; so may long values that differ far behind.
  private static func bytes(_ value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    OrderedEncoding.append(value, to: &bytes)
    return bytes
  }

  private static func bytes(of record: DocumentRecord, at field: FieldPath) -> [UInt8]? {
    if field.isDocumentName { return bytes(.reference(record.name)) }
    return record.fields.withView(at: field) { view in
      guard let view else { return nil }
      var bytes: [UInt8] = []
      view.appendOrdered(to: &bytes)
      return bytes
    }
  }

  private static func elements(
    of record: DocumentRecord,
    at field: FieldPath,
    _ views: ViewsByValue,
    _ body: (View) -> Void
  ) {
    record.fields.withView(at: field) { view in
      view?.forEachElement { element in
        var bytes: [UInt8] = []
        element.appendOrdered(to: &bytes)
        for view in views[bytes] ?? [] { body(view) }
      }
    }
  }
}
