import FirestoreModel
import KeyValueStore

/// Split points that divide a collection group into parts of about the same size.
package struct Partitioning: Sendable {
  /// Names in the query's order: each begins a part.
  package let names: [DocumentName]
  /// Empty on the last page.
  package let nextPageToken: String
  package let readTime: CommitVersion
}

extension Database {
  /// Divides a collection group's documents into at most `count` parts; one page of the split points.
  ///
  /// It reads every name once for each page.
  package func partition(
    _ query: Query,
    count: Int,
    pageSize: Int = 0,
    pageToken: String = "",
    consistency: Consistency = .latest,
    check: WorkCheck? = nil
  ) throws -> Partitioning {
    do {
      let normalized = try query.partitionable(count)
      let arguments = ["partition", "\(query)", String(count)]
      let size = try ListingLimits.page(pageSize)
      let token = try PageToken(pageToken, of: arguments).map(PartitionPlace.init)
      let read = try beginRead(token.map { .at($0.version) } ?? consistency, check: check)
      let (splitPoints, version) = try splitPoints(normalized, count - 1, read)
      let first = min(token?.offset ?? 0, splitPoints.count)
      let page = splitPoints[first...].prefix(size)
      let next = PartitionPlace(version: version, offset: first + page.count)
      return Partitioning(
        names: page.map { DocumentName(database: id, path: $0) },
        nextPageToken: next.offset < splitPoints.count ? next.token.text(of: arguments) : "",
        readTime: version
      )
    } catch {
      throw FirestoreError.storage(error)
    }
  }

  /// At most `count` names at even distances, the first document's left out.
  private func splitPoints(
    _ query: NormalizedQuery,
    _ count: Int,
    _ read: ConsistentRead
  ) throws -> ([ResourcePath], CommitVersion) {
    var run = QueryRun(query, read: read, database: self)
    var sample = EvenSample<ResourcePath>()
    var version = CommitVersion.zero
    repeat {
      try read.view { view in
        version = view.version
        _ = try run.pull(view) { result in
          try sample.add { try result.path() }
          return true
        }
      }
    } while !run.isDone
    return (sample.splitPoints(count), version)
  }
}

extension Query {
  /// Refuses what cannot be divided.
  fileprivate func partitionable(_ count: Int) throws(FirestoreError) -> NormalizedQuery {
    guard count > 0 else {
      throw .invalidArgument("partition_count must be greater than zero.")
    }
    guard case .collectionGroup = scope else {
      throw .invalidArgument("PartitionQuery is only supported for collection group queries.")
    }
    guard filter == nil, limit == nil, offset == 0, start == nil, end == nil, findNearest == nil,
      orders.isEmpty || orders == [Order(.documentName)]
    else {
      throw .invalidArgument(
        "PartitionQuery takes no filters, limits, offsets or cursors, and orders by __name__ "
          + "ascending only."
      )
    }
    return try normalized()
  }
}

/// Where a next page of split points begins, and the version at which they were computed.
private struct PartitionPlace {
  let version: CommitVersion
  let offset: Int

  init(version: CommitVersion, offset: Int) {
    self.version = version
    self.offset = offset
  }

  init(_ token: PageToken) {
    let numbers = token.parts.map { part in part.withUnsafeBytes { bigEndian($0, at: 0) } }
    version = CommitVersion(microseconds: numbers.first ?? 0)
    offset = max(0, Int(numbers.last ?? 0))
  }

  var token: PageToken {
    PageToken(
      [version.microseconds, Int64(offset)].map { number in
        var bytes: [UInt8] = []
        appendBigEndian(UInt64(bitPattern: number), to: &bytes)
        return bytes
      }
    )
  }
}

/// Elements of a sequence of unknown length at even distances, in bounded memory.
struct EvenSample<Element> {
  private static var capacity: Int { 4_096 }

  private var kept: [Element] = []
  private var stride = 1
  private var count = 0

  /// Looks at the next element, which is made only if it is kept.
  mutating func add(_ element: () throws -> Element) rethrows {
    defer { count += 1 }
    guard count.isMultiple(of: stride) else { return }
    if kept.count == Self.capacity {
      kept = kept.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      stride *= 2
      guard count.isMultiple(of: stride) else { return }
    }
    kept.append(try element())
  }

  /// At most `wanted` elements that divide the sequence evenly.
  func splitPoints(_ wanted: Int) -> [Element] {
    let parts = min(wanted + 1, kept.count)
    guard parts > 1 else { return [] }
    return (1..<parts).map { kept[$0 * kept.count / parts] }
  }
}
