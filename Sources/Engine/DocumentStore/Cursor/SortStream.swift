import BaseText
import FirestoreModel

/// Reads all documents that a plan without order finds, keeps those that satisfy the query, and
/// gives them in the query's order: what a missing index costs.
///
/// At most `SortBuffer.capacity` positions are held; when they are used up and there were more, the
/// documents are read again for the next ones.
final class SortStream: PositionStream {
  private let context: QueryContext
  private let orders: [Order]
  private let range: PositionRange
  private let buffer: SortBuffer
  private let isReversed: Bool
  private let openBase: (_ from: [UInt8]) throws -> CandidateStream
  private var index = -1
  private let lentPosition = LentBytes()
  private let lentTags = LentBytes()

  /// Sorts the output of `openBase` from a position on; `buffer` keeps the sorted documents for the
  /// query's next pulls.
  ///
  /// - Parameter isReversed: True if it runs backwards: it cannot pause then.
  init(
    _ context: QueryContext,
    orders: [Order],
    range: PositionRange,
    buffer: SortBuffer,
    isReversed: Bool,
    openBase: @escaping (_ from: [UInt8]) throws -> CandidateStream
  ) {
    self.isReversed = isReversed
    self.context = context
    self.orders = orders
    self.range = range
    self.buffer = buffer
    self.openBase = openBase
  }

  var position: UnsafeRawBufferPointer { lentPosition.bytes }
  var payload: UnsafeRawBufferPointer { lentTags.bytes }

  func next() throws -> Bool {
    if index < 0 {
      if !buffer.covers(range) { try fill(range) }
      index = buffer.index(of: range.lower)
    } else {
      index += 1
    }
    if index == buffer.entries.count, !buffer.isComplete, let last = buffer.entries.last {
      let rest = PositionRange(lower: last.position + [0], upper: range.upper)
      try fill(rest)
      index = 0
    }
    guard index < buffer.entries.count else { return false }
    let entry = buffer.entries[index]
    lentPosition.set(entry.position)
    lentTags.set(entry.tags)
    return range.contains(position)
  }

  func seek(_ target: UnsafeRawBufferPointer) throws -> Bool {
    while try next() {
      if compareBytes(position, target) != .ascending { return true }
    }
    return false
  }

  /// Sorts all candidates; where the slice is used up before, what was sorted waits in the buffer for the next one.
  private func fill(_ wanted: PositionRange) throws {
    var work = buffer.takeWork(for: wanted)
    let base = try openBase(work.resumption)
    var name: [UInt8] = []
    while try base.next() {
      if !base.isMilestone {
        base.copyName(to: &name)
        if let entry = try entry(base, name: name, in: wanted) { work.add(entry) }
      }
      if context.view.isSliceUsedUp, !isReversed, let next = base.nextPosition {
        work.resumption = next
        buffer.keep(work)
        throw SliceUsedUp()
      }
    }
    buffer.replace(with: work.heap.elements, from: wanted, isComplete: !work.hasOverflowed)
  }

  private func entry(
    _ base: CandidateStream,
    name: [UInt8],
    in wanted: PositionRange
  ) throws -> SortBuffer.Entry? {
    let document =
      base.plan.deliversRecords
      ? try context.document(lent: base.payload, named: name)
      : try context.document(named: name)
    guard let document, try context.matches(document, named: name),
      let ordered = OrderedPosition(document, name: name, orders: orders, of: context.query),
      ordered.bytes.withUnsafeBytes({ wanted.contains($0) })
    else { return nil }
    return SortBuffer.Entry(position: ordered.bytes, tags: ordered.tags)
  }
}

/// Positions that were sorted for a query at its version; they serve its later pulls.
final class SortBuffer {
  /// The number of positions that one buffer holds.
  static let capacity = 50_000

  struct Entry {
    let position: [UInt8]
    let tags: [UInt8]

    var bytes: Int { 96 + position.count + tags.count }
  }

  /// A sort that has not come to the end of its candidates.
  struct Work {
    let wanted: PositionRange
    var heap = MinimumHeap<Entry> { $1.position.precedes($0.position) }
    /// True if there were more than the buffer holds.
    var hasOverflowed = false
    /// The position of the base from which it continues.
    var resumption: [UInt8] = []
    /// About how much memory the entries take.
    private(set) var bytes = 0

    init(_ wanted: PositionRange) { self.wanted = wanted }

    /// Keeps an entry if it is among the least so far.
    mutating func add(_ entry: Entry) {
      guard heap.count == SortBuffer.capacity else {
        bytes += entry.bytes
        return heap.insert(entry)
      }
      hasOverflowed = true
      guard let greatest = heap.minimum, entry.position.precedes(greatest.position) else { return }
      bytes += entry.bytes - greatest.bytes
      heap.replaceMinimum(with: entry)
    }
  }

  private(set) var entries: [Entry] = []
  private var work: Work?
  private var entryBytes = 0

  /// About how much memory the entries take.
  var heldBytes: Int { entryBytes + (work?.bytes ?? 0) }
  /// True if the entries reach to the end of the requested ranges.
  private(set) var isComplete = false
  private var range: PositionRange?

  /// The sort of that range where it was paused, or from its beginning.
  func takeWork(for wanted: PositionRange) -> Work {
    defer { work = nil }
    if let work, work.wanted == wanted { return work }
    return Work(wanted)
  }

  /// Keeps a sort that is paused.
  func keep(_ work: Work) { self.work = work }

  /// Takes the least positions of a range.
  func replace(with unsorted: [Entry], from range: PositionRange, isComplete: Bool) {
    entries = unsorted.sorted { $0.position.precedes($1.position) }
    entryBytes = entries.reduce(0) { $0 + $1.bytes }
    self.range = range
    self.isComplete = isComplete
  }

  /// Returns true if the beginning of a range is in the buffer, as far as there is anything.
  func covers(_ wanted: PositionRange) -> Bool {
    guard let range, range.upper == wanted.upper,
      !wanted.lower.precedes(range.lower)
    else { return false }
    guard let last = entries.last else { return isComplete }
    return isComplete || !last.position.precedes(wanted.lower)
  }

  /// The first entry at or above a position.
  func index(of position: [UInt8]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].position.precedes(position) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
