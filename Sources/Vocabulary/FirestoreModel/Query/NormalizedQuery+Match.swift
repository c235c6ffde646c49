// The decisions of a query about one document and about two. Offset, limit and projection are not
// judged here.

import BaseText

extension NormalizedQuery {
  /// Returns true if a document is among the results before offset and limit.
  package func matches(_ document: some QueryDocument) -> Bool {
    holds(document.name.path) && passesFilter(document) && isWithinCursors(document)
  }

  /// Returns true if the scope ranges over a document of this path.
  package func holds(_ path: ResourcePath) -> Bool {
    let segments = path.segments
    guard path.isDocument, segments.count >= parent.segments.count + 2,
      segments.starts(with: parent.segments)
    else { return false }
    let isChild = segments.count == parent.segments.count + 2
    let collection = segments[segments.count - 2]
    switch scope {
    case .collection(let id): return isChild && collection == id
    case .collectionGroup(let id): return collection == id
    case .children: return isChild
    case .descendants: return true
    }
  }

  /// Returns true if a document passes one of the alternatives and has every ordered field.
  package func passesFilter(_ document: some QueryDocument) -> Bool {
    let passes = disjuncts.contains { conditions in
      conditions.allSatisfy { $0.matches(document.queryValue(at: $0.field)) }
    }
    return passes && requiredFields.allSatisfy { document.value(at: $0) != nil }
  }

  /// The values that place a document in the order; nil where it lacks one and is no result.
  package func sortKey(of document: some QueryDocument) -> [Value]? {
    var key: [Value] = []
    key.reserveCapacity(orders.count)
    for order in orders {
      guard let value = document.queryValue(at: order.field) else { return nil }
      key.append(value)
    }
    return key
  }

  /// Compares keys of `sortKey`, each value in its order's direction.
  package func compareKeys(_ left: [Value], _ right: [Value]) -> Ordering {
    for (index, (first, second)) in zip(left, right).enumerated() where index < orders.count {
      let result = first.compare(second)
      if result != .equal {
        return orders[index].direction == .ascending ? result : result.reversed
      }
    }
    return .equal
  }

  /// Returns the order of two results; only the same document is equal to itself.
  package func compare(_ left: some QueryDocument, _ right: some QueryDocument) -> Ordering {
    for order in orders {
      guard let first = left.queryValue(at: order.field),
        let second = right.queryValue(at: order.field)
      else { continue }
      let result = first.compare(second)
      if result != .equal { return order.direction == .ascending ? result : result.reversed }
    }
    return .equal
  }

  /// Returns true if a document lies at or behind the start and at or before the end.
  package func isWithinCursors(_ document: some QueryDocument) -> Bool {
    if start == nil && end == nil { return true }
    guard let key = sortKey(of: document) else { return false }
    return isWithinCursors(key: key)
  }

  /// The same for the key of a document.
  package func isWithinCursors(key: [Value]) -> Bool {
    isBehindStart(key) && isBeforeEnd(key)
  }

  /// A start before its equals lets them in, one behind them leaves them out.
  package func isBehindStart(_ key: [Value]) -> Bool {
    guard let start else { return true }
    switch compareKeys(key, start.values) {
    case .ascending: return false
    case .equal: return start.before
    case .descending: return true
    }
  }

  /// An end behind its equals lets them in, one before them leaves them out.
  package func isBeforeEnd(_ key: [Value]) -> Bool {
    guard let end else { return true }
    switch compareKeys(key, end.values) {
    case .ascending: return true
    case .equal: return !end.before
    case .descending: return false
    }
  }
}
