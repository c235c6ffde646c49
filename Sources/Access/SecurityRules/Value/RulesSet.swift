import BaseText

/// A set: elements without duplicates under the numeric equality, in order of their insertion.
package struct RulesSet: Sendable {
  /// Compares by number all the way down.
  private struct Key: Hashable, Sendable {
    let value: RulesValue

    static func == (left: Key, right: Key) -> Bool {
      var comparison = RulesComparison(stepsLeft: .max)
      return comparison.isSame(left.value, right.value)
    }

    func hash(into hasher: inout Hasher) { value.hashNumerically(into: &hasher) }
  }

  /// Steps of putting a part of an element in or looking it up.
  static let elementSteps = 16

  /// The distinct elements, in the order of their first insertion.
  package private(set) var elements: [RulesValue] = []
  private var index: Set<Key> = []

  /// The distinct ones among the elements.
  init(_ candidates: [RulesValue]) {
    index.reserveCapacity(candidates.count)
    elements.reserveCapacity(candidates.count)
    for candidate in candidates where index.insert(Key(value: candidate)).inserted {
      elements.append(candidate)
    }
  }

  func contains(_ value: RulesValue) -> Bool { index.contains(Key(value: value)) }

  /// The same for equal sets, with elements in any order.
  var unorderedHash: Int {
    elements.reduce(elements.count) { hash, element in
      var hasher = Hasher()
      element.hashNumerically(into: &hasher)
      return hash ^ hasher.finalize()
    }
  }
}

/// The result of `a.diff(b)`: the differences between `a` and `b`, by top-level key.
package final class RulesMapDiff: Sendable {
  /// Keys that only the new map has, in the order of keys.
  package let added: [Text]
  /// Keys that only the old map has.
  package let removed: [Text]
  /// Keys of both maps whose values differ, in the order of keys.
  package let changed: [Text]
  /// Keys of both maps whose values are the same, in the order of keys.
  package let unchanged: [Text]

  /// Compares two maps, walking both in the order of their keys.
  init(from old: RulesMap, to new: RulesMap, _ comparison: inout RulesComparison) {
    let before = Dictionary(uniqueKeysWithValues: old.sorted.map { ($0.key, $0.value) })
    var added: [Text] = []
    var changed: [Text] = []
    var unchanged: [Text] = []
    var kept: Set<Text> = []
    for (key, value) in new.sorted {
      guard let previous = before[key] else {
        added.append(key)
        continue
      }
      kept.insert(key)
      if comparison.isSame(value, previous) { unchanged.append(key) } else { changed.append(key) }
    }
    self.added = added
    self.changed = changed
    self.unchanged = unchanged
    removed = old.keys.filter { !kept.contains($0) }
  }
}
