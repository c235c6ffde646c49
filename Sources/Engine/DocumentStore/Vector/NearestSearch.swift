import FirestoreModel

/// An exact nearest-neighbour search.
///
/// It looks at every document that the query finds and keeps the nearest. Documents without a vector
/// of the query's dimension are passed over.
struct NearestSearch {
  private let search: FindNearest
  /// The greatest distance first, so that it can give way.
  private var kept = MinimumHeap<Neighbour> { $1.isNearer(than: $0) }
  private var ordered: [Neighbour]?
  /// The number of the nearest that were taken.
  private(set) var delivered = 0
  /// The number of documents that had a vector to measure.
  private(set) var measured = 0
  /// About how much memory the kept documents take.
  private(set) var heldBytes = 0

  private struct Neighbour {
    let record: DocumentRecord
    let distance: Double
    /// Less is nearer, for every measure.
    let rank: Double
    let name: [UInt8]

    var bytes: Int { 256 + record.fields.bytes.count }

    func isNearer(than other: Neighbour) -> Bool {
      rank < other.rank || (rank == other.rank && name.precedes(other.name))
    }
  }

  init(_ search: FindNearest) { self.search = search }

  /// True if everything was taken.
  var isEmpty: Bool { ordered.map { delivered >= $0.count } ?? kept.isEmpty }

  /// Keeps a result if it is among the nearest so far.
  mutating func judge(_ result: QueryResult) throws {
    let document = try result.document()
    guard case .vector(let vector)? = document.fields.value(at: search.field),
      vector.count == search.vector.count, let distance = search.distance(to: vector)
    else { return }
    measured += 1
    let rank = search.measure == .dotProduct ? -distance : distance
    if let threshold = search.distanceThreshold {
      let limit = search.measure == .dotProduct ? -threshold : threshold
      if rank > limit { return }
    }
    let name = DocumentName(database: result.context.database, path: try result.path())
    let neighbour = Neighbour(
      record: document.record(name: name),
      distance: distance,
      rank: rank,
      name: result.name
    )
    if kept.count < search.limit {
      heldBytes += neighbour.bytes
      kept.insert(neighbour)
    } else if let farthest = kept.minimum, neighbour.isNearer(than: farthest) {
      heldBytes += neighbour.bytes - farthest.bytes
      kept.replaceMinimum(with: neighbour)
    }
  }

  /// The next of the nearest, nearest first.
  mutating func take(
    maxDocuments: Int,
    maxBytes: Int,
    projection: QueryProjection
  ) throws -> [DocumentRecord] {
    let all = ordered ?? kept.elements.sorted { $0.isNearer(than: $1) }
    ordered = all
    var result: [DocumentRecord] = []
    var bytes = 0
    while delivered < all.count, result.count < maxDocuments, bytes < maxBytes {
      let record = deliver(all[delivered], projection)
      bytes += record.fields.bytes.count
      result.append(record)
      delivered += 1
    }
    return result
  }

  private func deliver(_ neighbour: Neighbour, _ projection: QueryProjection) -> DocumentRecord {
    let record = projection.apply(to: neighbour.record)
    guard let field = search.distanceResultField else { return record }
    var fields = record.fields.decoded()
    fields.set(.double(neighbour.distance), at: field)
    return DocumentRecord(
      name: record.name,
      fields: DocumentFields(encoding: fields),
      createTime: record.createTime,
      updateTime: record.updateTime
    )
  }
}

extension FindNearest {
  /// The distance, or the dot product, of a vector of the same dimension; nil where it has none
  /// (the cosine distance of the zero vector).
  func distance(to other: [Double]) -> Double? {
    switch measure {
    case .euclidean:
      let squares = zip(vector, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      return squares.squareRoot()
    case .dotProduct: return Self.dot(vector, other)
    case .cosine:
      let lengths = (Self.dot(vector, vector) * Self.dot(other, other)).squareRoot()
      return lengths == 0 ? nil : 1 - Self.dot(vector, other) / lengths
    }
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
