/// Opens a plan's streams in one view.
struct PlanOpener {
  let context: QueryContext
  let plan: QueryPlan
  /// One for each disjunct that sorts, by its index; they outlive the view.
  let buffers: [Int: SortBuffer]

  /// The query's documents between two bounds of its order.
  func open(from lower: SortBound?, to upper: SortBound?) throws -> UnionStream {
    var streams: [CandidateStream] = []
    for (index, disjunct) in plan.disjuncts.enumerated() {
      let bounds = disjunct.positions(from: lower, to: upper)
      let ranges = disjunct.ranges.intersection([bounds])
      if ranges.isEmpty { continue }
      let base = try stream(disjunct, ranges, buffer: buffers[index])
      streams.append(CandidateStream(plan: disjunct, base: base))
    }
    return UnionStream(streams)
  }

  private func stream(
    _ disjunct: DisjunctPlan,
    _ ranges: [PositionRange],
    buffer: SortBuffer?
  ) throws -> any PositionStream {
    guard case .index(let legs) = disjunct.source, legs.count > 1 else {
      return try joined(ranges, disjunct) { try open(disjunct, $0, buffer: buffer) }
    }
    let streams = try legs.map { leg in
      try joined(ranges, disjunct) { try scan(leg, $0, disjunct) }
    }
    return IntersectionStream(streams, reversed: disjunct.isReversed)
  }

  private func joined(
    _ ranges: [PositionRange],
    _ disjunct: DisjunctPlan,
    _ open: @escaping (PositionRange) throws -> any PositionStream
  ) throws -> any PositionStream {
    if ranges.count == 1 { return try open(ranges[0]) }
    return SequenceStream(ranges, reversed: disjunct.isReversed, open: open)
  }

  private func open(
    _ disjunct: DisjunctPlan,
    _ range: PositionRange,
    buffer: SortBuffer?
  ) throws -> any PositionStream {
    switch disjunct.source {
    case .index(let legs): return try scan(legs[0], range, disjunct)
    case .documents(let collection):
      return try VersionedScan(
        context.view,
        format: .document,
        prefix: DocumentKey.collectionPrefix(collection, in: context.incarnation),
        range: range,
        reversed: disjunct.isReversed
      )
    case .collections(let set):
      return CollectionsStream(
        context.view,
        incarnation: context.incarnation,
        set: set,
        range: range
      )
    case .lookup(let name):
      return LookupStream(context, name: name, orders: plan.orders, range: range)
    case .sort(let base):
      return SortStream(
        context,
        orders: plan.orders,
        range: range,
        buffer: buffer ?? SortBuffer(),
        isReversed: base.isReversed
      ) { start in
        let rest = base.ranges.intersection([PositionRange(lower: start)])
        let opened = rest.isEmpty ? EmptyStream() : try stream(base, rest, buffer: nil)
        return CandidateStream(plan: base, base: opened)
      }
    }
  }

  private func scan(
    _ leg: IndexLeg,
    _ range: PositionRange,
    _ disjunct: DisjunctPlan
  ) throws -> any PositionStream {
    try VersionedScan(
      context.view,
      format: .indexEntry,
      prefix: leg.prefix,
      range: leg.leadingValues > 0 ? range.intersection(.behindValue) : range,
      reversed: disjunct.isReversed
    )
  }
}
