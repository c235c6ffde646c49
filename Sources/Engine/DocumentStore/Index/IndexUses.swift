import BaseRuntime
import Synchronization

/// Counts how the queries of one open database use its indexes: how often each declared index was
/// read, and which indexes were missing.
///
/// In memory alone, since the database was opened. A query counts once, when it is planned; one that single-field indexes
/// serve takes no lock here. Any thread may call.
package final class IndexUses: Sendable {
  /// The number of times that something was asked for.
  package struct Count: Sendable, Hashable {
    /// The number of queries since the database was opened.
    package var queries: Int
    /// The time of the last one, in microseconds since 1970.
    package var last: Int64
  }

  /// All that is known at one moment.
  package struct Report: Sendable {
    /// The time since which queries are counted, in microseconds since 1970.
    package let since: Int64
    /// The counts by the ids of declared indexes; those without are unused.
    package var used: [String: Count]
    /// The indexes that are still missing, those asked for most often first.
    package var missing: [(index: MissingIndex.Kind, count: Count)]
  }

  /// The largest number of missing indexes that are kept; the one asked for longest ago makes room.
  static let mostMissing = 100
  /// The longest names of fields together that one of them may have, in bytes.
  static let longestFields = 4_096

  private let since: Int64
  private let clock: MicrosecondClock
  private let state = Mutex(State())

  private struct State {
    var used: [UInt32: Count] = [:]
    var missing: [MissingIndex.Kind: Count] = [:]
  }

  init(clock: MicrosecondClock) {
    self.clock = clock
    since = clock.now()
  }

  /// Counts a query by its plan.
  func note(_ plan: QueryPlan) { note(plan, reading: plan.declaredIndexes) }

  /// Counts the entries that a plan lacked and that still exist.
  func noteMissing(_ plan: QueryPlan) { note(plan, reading: []) }

  private func note(_ plan: QueryPlan, reading numbers: Set<UInt32>) {
    let missing = plan.missingIndex.flatMap { $0.buildingID == nil ? $0.kind : nil }
    guard !numbers.isEmpty || missing != nil else { return }
    let now = clock.now()
    state.withLock { state in
      for number in numbers { state.used[number, default: .none].add(at: now) }
      guard let missing, missing.fieldBytes <= Self.longestFields else { return }
      state.missing[missing, default: .none].add(at: now)
      guard state.missing.count > Self.mostMissing,
        let oldest = state.missing.min(by: { $0.value.last < $1.value.last })
      else { return }
      state.missing[oldest.key] = nil
    }
  }

  /// Returns the counts, without the missing indexes that these definitions now include.
  func report(for set: IndexSet) -> Report {
    let (used, missing) = state.withLock { state in
      let maintained = set.listed
      // Numbers are never given again.
      let numbers = Set(maintained.map(\.number))
      state.used = state.used.filter { numbers.contains($0.key) }
      state.missing = state.missing.filter { !set.has($0.key, among: maintained) }
      return (state.used, state.missing)
    }
    return Report(
      since: since,
      used: Dictionary(uniqueKeysWithValues: used.map { (DeclaredIndex.id(of: $0), $1) }),
      missing: missing.map { (index: $0.key, count: $0.value) }.sorted {
        ($0.count.queries, $0.count.last) > ($1.count.queries, $1.count.last)
      }
    )
  }
}

extension IndexUses.Count {
  fileprivate static let none = Self(queries: 0, last: 0)

  fileprivate mutating func add(at time: Int64) {
    queries += 1
    last = max(last, time)
  }
}

extension QueryPlan {
  /// The numbers of the declared indexes that are read, each once.
  fileprivate var declaredIndexes: Set<UInt32> {
    var numbers: Set<UInt32> = []
    for disjunct in disjuncts {
      guard case .index(let legs) = disjunct.source.read else { continue }
      for leg in legs { if let number = leg.declared { numbers.insert(number) } }
    }
    return numbers
  }
}

extension DisjunctPlan.Source {
  /// The source itself, or the documents to sort.
  fileprivate var read: Self {
    if case .sort(let base) = self { base.source.read } else { self }
  }
}

extension MissingIndex.Kind {
  fileprivate var fieldBytes: Int {
    switch self {
    case .composite(let definition):
      definition.fields.reduce(0) { $0 + $1.path.canonicalString.utf8.count }
    case .singleField(_, let field, _): field.canonicalString.utf8.count
    }
  }
}

extension IndexSet {
  fileprivate func has(_ index: MissingIndex.Kind, among maintained: [DeclaredIndex]) -> Bool {
    switch index {
    case .composite(let definition): maintained.contains { $0.definition == definition }
    case .singleField(let collectionID, let field, let single):
      state(of: single, field: field, collectionID: collectionID) != nil
    }
  }
}

extension Database {
  /// The queries' uses of the indexes since the database was opened.
  package var indexUses: IndexUses.Report { uses.report(for: indexes.current) }
}
