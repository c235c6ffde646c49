import FirestoreModel
import KeyValueStore

/// One disjunct's documents in the query's order: the plan's positions, filtered by the conditions
/// on their values, and translated to sort keys.
final class CandidateStream {
  let plan: DisjunctPlan
  private let base: any PositionStream
  private let leadingValues: Int
  /// The ends of the position's values; the name follows the last one.
  private var ends: [Int] = []
  /// True if the current candidate fails the conditions and only marks how far the stream has come.
  private(set) var isMilestone = false

  /// The number of positions in a row failing the conditions after which one is delivered as a
  /// milestone, so that a reader can pause there.
  static let milestoneDistance = 1_000

  /// Reads a plan's positions from the stream that was opened for it.
  init(plan: DisjunctPlan, base: any PositionStream) {
    self.plan = plan
    self.base = base
    if case .index(let legs) = plan.source {
      leadingValues = legs[0].leadingValues
    } else {
      leadingValues = 0
    }
  }

  /// The bytes stored beside the position: an entry's tags or a document's record.
  var payload: UnsafeRawBufferPointer { base.payload }

  /// Moves to the next candidate that satisfies the conditions which its position can judge, or to a milestone.
  func next() throws -> Bool {
    var passed = 0
    isMilestone = false
    while try base.next() {
      try split()
      if !base.isMilestone, satisfiesConditions { return true }
      passed += 1
      if base.isMilestone || passed == Self.milestoneDistance {
        isMilestone = true
        return true
      }
    }
    return false
  }

  /// Behind the current position of a stream that runs forwards, and behind the records of its history, whose keys
  /// begin with it; nil where nothing can follow.
  var nextPosition: [UInt8]? { KeyRange.successor(ofPrefix: Array(base.position)) }

  /// True if only the document can tell if it belongs to the result.
  var needsLook: Bool {
    if plan.checksDocuments { return true }
    if plan.deliversRecords { return false }
    return payload.contains { ValueTag(rawValue: $0).isTruncated }
  }

  /// The name part, as it is written.
  private var writtenName: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: base.position[(ends.last ?? 0)...])
  }

  /// Puts the name part, ascending, into a buffer.
  func copyName(to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: writtenName)
    if plan.nameDirection == .descending { OrderedEncoding.invert(&bytes, from: 0) }
  }

  /// Puts the candidate's position in the query's order into a key.
  func copySortKey(to key: inout SortKey) {
    key.removeAll()
    for component in plan.components {
      switch component {
      case .constant(let bytes): bytes.withUnsafeBytes { key.append($0) }
      case .position(let index): append(value(index), to: &key)
      case .name: append(writtenName, to: &key)
      }
    }
  }

  private func append(_ written: UnsafeRawBufferPointer, to key: inout SortKey) {
    let start = key.bytes.count
    key.append(written)
    if plan.isReversed { OrderedEncoding.invert(&key.bytes, from: start) }
  }

  /// One of the position's values, as it is written.
  func value(_ index: Int) -> UnsafeRawBufferPointer {
    let start = index == 0 ? 0 : ends[index - 1]
    return UnsafeRawBufferPointer(rebasing: base.position[start..<ends[index]])
  }

  /// The position from one of its values on: the bytes after a number belong to it if that is a
  /// decimal.
  private func rest(from index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: base.position[(index == 0 ? 0 : ends[index - 1])...])
  }

  /// Returns the type tag of one of the position's values, which the position itself leaves out.
  func tag(_ index: Int) -> ValueTag {
    let offset = leadingValues + index
    guard !plan.deliversRecords, offset < payload.count else { return .exact }
    return ValueTag(rawValue: payload[offset])
  }

  private func split() throws {
    ends.removeAll(keepingCapacity: true)
    let position = base.position
    var offset = 0
    for (index, direction) in plan.directions.enumerated() {
      guard OrderedEncoding.skip(position, at: &offset, tag: tag(index), direction: direction)
      else { throw CorruptIndex.error(position) }
      ends.append(offset)
    }
  }

  private var satisfiesConditions: Bool {
    for condition in plan.valueConditions
    where !condition.ranges.contain(rest(from: condition.index)) { return false }
    if let allowed = plan.nameCondition { return allowed.contain(writtenName) }
    return true
  }
}
