import BaseStatus
import FirestoreModel
import Synchronization

/// Split points that divide a collection group into parts of about the same size.
package struct Partitioning: Sendable {
  /// Names in the query's order: each begins a part.
  package let names: [DocumentName]
  /// Empty on the last page.
  package let nextPageToken: String
  /// The version at which the names were read.
  package let readTime: CommitVersion
}

/// A division that is being computed, slice by slice, all at one version.
///
/// Between slices only a sample of the names and the last name are held. One call at a time; calls block.
package final class PartitionCursor: Sendable {
  private struct State {
    var run: QueryRun
    var sample = EvenSample<ResourcePath>()
  }

  private let state: Mutex<State>
  private let read: ConsistentRead
  private let page: Page

  /// The page of split points that a request asks for.
  fileprivate struct Page {
    let count: Int
    let size: Int
    let offset: Int
    let arguments: [String]
  }

  fileprivate init(
    _ query: NormalizedQuery,
    _ read: ConsistentRead,
    _ database: Database,
    _ page: Page
  ) {
    state = Mutex(State(run: QueryRun(query, read: read, database: database)))
    self.read = read
    self.page = page
  }

  /// Goes through the names of one slice; returns the page of split points if these were the last,
  /// otherwise nil.
  ///
  /// - Parameter slice: The largest number of names to read.
  package func next(slice: Int = QueryCursor.longSlice) throws -> Partitioning? {
    do {
      return try state.withLock { state in
        try read.view { view in
          _ = try state.run.pull(view, slice: slice) { result in
            try state.sample.add { try result.path() }
            return true
          }
          guard state.run.isDone else { return nil }
          return result(state.sample.splitPoints(page.count - 1), at: view.version)
        }
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  private func result(_ points: [ResourcePath], at version: CommitVersion) -> Partitioning {
    let first = min(page.offset, points.count)
    let names = points[first...].prefix(page.size)
    let next = PartitionPosition(version: version, offset: first + names.count)
    return Partitioning(
      names: names.map { DocumentName(database: read.databaseID, path: $0) },
      nextPageToken: next.offset < points.count ? next.token.text(of: page.arguments) : "",
      readTime: version
    )
  }
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
  ) throws -> PartitionCursor {
    do {
      let normalized = try query.partitionable(count)
      let arguments = ["partition", "\(query)", String(count)]
      let size = try ListingLimits.page(pageSize)
      let token = try PageToken(pageToken, of: arguments).map(PartitionPosition.init)
      let read = try beginRead(token.map { .at($0.version) } ?? consistency, check: check)
      return PartitionCursor(
        normalized,
        read,
        self,
        .init(count: count, size: size, offset: token?.offset ?? 0, arguments: arguments)
      )
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

extension Query {
  /// Refuses what cannot be divided.
  fileprivate func partitionable(_ count: Int) throws(ServiceError) -> NormalizedQuery {
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

/// The position at which a next page of split points begins, and the version at which they were
/// computed.
private struct PartitionPosition {
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
