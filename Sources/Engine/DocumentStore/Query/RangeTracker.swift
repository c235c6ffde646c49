import BaseText
import FirestoreModel

/// Reports the ranges that a pull has read to a read-write transaction, so that a commit which puts
/// something into them, or takes something out, is a conflict.
struct RangeTracker {
  let opener: PlanOpener
  let read: ConsistentRead

  /// Records what lies between two bounds of the query's order, in every range of the plan.
  func record(from lower: SortBound?, to upper: SortBound?) throws {
    for disjunct in opener.plan.disjuncts {
      let bounds = disjunct.positions(from: lower, to: upper)
      for range in disjunct.ranges.intersection([bounds]) {
        try record(disjunct.source, range)
      }
    }
  }

  private func record(_ source: DisjunctPlan.Source, _ range: PositionRange) throws {
    switch source {
    case .index(let legs):
      for leg in legs {
        try read.record(.keys(range.keys(below: leg.prefix), collectionID: collectionID))
      }
    case .documents(let collection): try record(collection, range)
    case .collections: try recordNames(range)
    case .lookup(let name):
      try record(DisjunctPlan.Source.named(opener.plan.space), PositionRange(prefix: name))
    case .sort(let base):
      // Sorting reads whole documents, however they were found.
      for range in base.namesInReach {
        try record(DisjunctPlan.Source.named(opener.plan.space), range)
      }
    }
  }

  private func record(_ collection: ResourcePath, _ range: PositionRange) throws {
    let prefix = DocumentKey.collectionPrefix(collection, in: opener.context.incarnation)
    try read.record(.keys(range.keys(below: prefix), collectionID: collection.lastID))
  }

  private func recordNames(_ range: PositionRange) throws {
    let lower = path(in: range.lower)
    let upper = range.upper.flatMap { upperPath($0) }
    try read.record(.names(collectionID: collectionID, lower: lower, upper: upper))
  }

  private var collectionID: Text? {
    switch opener.context.query.scope {
    case .collection(let id), .collectionGroup(let id): id
    case .children, .descendants: nil
    }
  }

  /// The path that a bound begins with: nothing at or above the bound sorts before it.
  private func path(in bound: [UInt8]) -> ResourcePath {
    bound.withUnsafeBytes { bytes in
      var offset = 0
      var segments: [Text] = []
      while let segment = SegmentEncoding.decode(bytes, at: &offset) { segments.append(segment) }
      return ResourcePath(segments)
    }
  }

  /// The path that a bound is before; nil where the bound does not tell one.
  private func upperPath(_ bound: [UInt8]) -> ResourcePath? {
    let path = path(in: bound)
    var encoded: [UInt8] = []
    SegmentEncoding.append(path, to: &encoded)
    switch Array(bound.dropFirst(encoded.count)) {
    case [SegmentEncoding.terminator]: return path
    // Behind a name: the least path of all that lie below it.
    case [SegmentEncoding.numericTag]: return path.appending("__id-9223372036854775808__")
    default: return nil
    }
  }
}

extension DisjunctPlan.Source {
  /// Returns the source that reads documents of a name space by name.
  fileprivate static func named(_ space: NameSpace) -> DisjunctPlan.Source {
    if let collection = space.collection { return .documents(collection: collection) }
    return .collections(CollectionSet(parent: .root, members: .descendants))
  }
}

extension DisjunctPlan {
  /// The names that the plan can find, ascending.
  fileprivate var namesInReach: [PositionRange] { directions.isEmpty ? ranges : [.all] }
}
