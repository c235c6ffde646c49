import KeyValueStore

/// Reads the counts, adding up several segments.
struct FacetReader {
  let project: UInt32
  let reader: any KeyValueReader

  /// Every facet of a day, in the order of facets, with the keys that it came from.
  func forEach(
    on day: EventDay,
    _ dimension: Facet.Dimension? = nil,
    _ numbers: [UInt32] = [],
    _ body: (Facet, Tally, _ keys: [[UInt8]]) throws -> Void
  ) throws {
    let prefix = Facet.prefix(project, day, dimension, numbers)
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var current: (facet: Facet, tally: Tally, keys: [[UInt8]])?
    while try cursor.next() {
      guard let (facet, _) = Facet.parse(cursor.key) else {
        throw KeyValueError(.corruption, "the key of a count is damaged")
      }
      let tally = try Tally(decoding: cursor.value)
      if current?.facet == facet {
        current?.tally.add(tally)
        current?.keys.append(Array(cursor.key))
      } else {
        if let current { try body(current.facet, current.tally, current.keys) }
        current = (facet, tally, [Array(cursor.key)])
      }
    }
    if let current { try body(current.facet, current.tally, current.keys) }
  }

  /// The tally of one facet of a day.
  func tally(_ facet: Facet, on day: EventDay) throws -> Tally {
    var tally = Tally()
    try forEach(on: day, facet.dimension, [facet.a, facet.b, facet.c]) { _, found, _ in
      tally = found
    }
    return tally
  }

  /// Returns the totals of the facets of a dimension over days, by facet.
  func totals(
    _ days: ClosedRange<EventDay>,
    _ dimension: Facet.Dimension,
    _ numbers: [UInt32] = []
  ) throws -> [Facet: Tally] {
    var sums: [Facet: TallySum] = [:]
    for day in days {
      let prefix = Facet.prefix(project, day, dimension, numbers)
      let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
      while try cursor.next() {
        guard let (facet, _) = Facet.parse(cursor.key) else {
          throw KeyValueError(.corruption, "the key of a count is damaged")
        }
        try sums[facet, default: TallySum()].add(decoding: cursor.value)
      }
    }
    return sums.mapValues(\.total)
  }
}
