import BaseText
import FirestoreModel

/// Sorts rows by keys; with a limit it keeps only the first ones.
final class SortOperator: RowOperator {
  /// A row with its keys.
  private struct Entry {
    let row: Row
    let keys: [Value]
    let number: Int
    let size: Int
  }

  let node: PlanNode
  private let input: any RowOperator
  private let resources: Resources
  private let descending: [Bool]
  private let keys: (Row) throws -> (Row, [Value])?
  private let top: Int?
  private var entries: [Entry] = []
  private var count = 0
  private var isSorted = false
  private var gathered = GatheredRows()

  /// - Parameters:
  ///   - top: The most rows that are wanted; nil for all.
  ///   - keys: The row to give and its keys; nil drops the row.
  init(
    _ input: any RowOperator,
    _ detail: @autoclosure @escaping () -> String,
    descending: [Bool],
    top: Int?,
    _ resources: Resources,
    keys: @escaping (Row) throws -> (Row, [Value])?
  ) {
    node = PlanNode("MajorSort", detail() + (top.map { ", first \($0)" } ?? ""), [input.node])
    self.input = input
    self.descending = descending
    self.top = top
    self.resources = resources
    self.keys = keys
  }

  func next() throws -> Pull {
    while !isSorted {
      switch try input.next() {
      case .row(let row): try add(row)
      case .paused: return .paused
      case .end: finish()
      }
      if resources.isPaused, !isSorted { return .paused }
    }
    guard let row = gathered.next(resources) else { return .end }
    node.rows += 1
    return .row(row)
  }

  private func add(_ row: Row) throws {
    try resources.step()
    guard top != 0, let (row, keys) = try keys(row) else { return }
    let size =
      row.size(limit: resources.memoryLimit)
      + keys.reduce(0) { $0 + $1.memorySize(limit: resources.memoryLimit) }
    try resources.take(size)
    entries.append(Entry(row: row, keys: keys, number: count, size: size))
    count += 1
    if let top, top < Int.max / 4, entries.count >= 2 * top + 64 {
      cut(to: top)
    }
  }

  private func cut(to top: Int) {
    entries.sort(by: precedes)
    guard entries.count > top else { return }
    for entry in entries[top...] { resources.give(entry.size) }
    entries.removeLast(entries.count - top)
  }

  private func finish() {
    if let top { cut(to: top) } else { entries.sort(by: precedes) }
    gathered.set(entries.map(\.row), sizes: entries.map(\.size))
    entries = []
    isSorted = true
  }

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    for (index, isDescending) in descending.enumerated() {
      switch left.keys[index].compare(right.keys[index]) {
      case .ascending: return !isDescending
      case .descending: return isDescending
      case .equal: continue
      }
    }
    return left.number < right.number
  }
}

/// Takes random rows, in a random order.
final class SampleOperator: RowOperator {
  let node: PlanNode
  private let input: any RowOperator
  private let resources: Resources
  private let wanted: Int
  private var rows: [(row: Row, size: Int)] = []
  private var count = 0
  private var isDone = false
  private var gathered = GatheredRows()

  init(_ input: any RowOperator, _ wanted: Int, _ resources: Resources) {
    node = PlanNode("Sample", "\(wanted) documents", [input.node])
    self.input = input
    self.wanted = wanted
    self.resources = resources
  }

  func next() throws -> Pull {
    while !isDone {
      switch try input.next() {
      case .row(let row): try add(row)
      case .paused: return .paused
      case .end:
        rows.shuffle()
        gathered.set(rows.map(\.row), sizes: rows.map(\.size))
        rows = []
        isDone = true
      }
      if resources.isPaused, !isDone { return .paused }
    }
    guard let row = gathered.next(resources) else { return .end }
    node.rows += 1
    return .row(row)
  }

  /// Every row is among those kept with the same probability.
  private func add(_ row: Row) throws {
    try resources.step()
    count += 1
    let slot = rows.count < wanted ? rows.count : Int.random(in: 0..<count)
    guard slot < wanted else { return }
    let size = row.size(limit: resources.memoryLimit)
    try resources.take(size)
    if slot < rows.count {
      resources.give(rows[slot].size)
      rows[slot] = (row, size)
    } else {
      rows.append((row, size))
    }
  }
}
