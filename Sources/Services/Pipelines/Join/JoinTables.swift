import DocumentStore
import FirestoreModel

/// Documents that joins of one request have read, by the value that outer rows look for.
///
/// One thread at a time. They take at most a quarter of the request's memory, and none of it that anything else needs:
/// a sub-pipeline whose documents are not here reads them itself.
final class JoinTables {
  private static let mostBytes = 16 << 20

  private let resources: Resources
  private var tables: [ObjectIdentifier: JoinTable] = [:]
  /// The table that was asked for last: row after row asks for the same one.
  private var last: JoinTable?
  private var bytes = 0

  init(_ resources: Resources) {
    self.resources = resources
  }

  /// The bytes that all tables may take.
  var capacity: Int { min(Self.mostBytes, resources.memoryLimit / 4) }

  /// The documents of a sub-pipeline's join, an empty table at first.
  func table(of plan: StagePlan, _ key: JoinKey) -> JoinTable {
    if let known = tables[ObjectIdentifier(plan)] { return known }
    let made = JoinTable(plan, key)
    tables[ObjectIdentifier(plan)] = made
    return made
  }

  /// The same where a join has begun; nil elsewhere.
  func known(_ plan: StagePlan) -> JoinTable? {
    if let last, last.plan === plan { return last }
    guard let found = tables[ObjectIdentifier(plan)] else { return nil }
    last = found
    return found
  }

  /// True where so many bytes fit beside what is kept.
  func hasRoom(_ size: Int) -> Bool { bytes + size <= capacity && resources.hasRoom(size) }

  /// Forgets all documents if they take more than half of the room, before a batch that may not do so itself.
  func makeRoom() { if bytes > capacity / 2 { clear() } }

  /// Keeps the documents of one value; false where there is no room even after all others have gone.
  func keep(_ documents: [DocumentRecord], for value: JoinValue, in table: JoinTable) -> Bool {
    let size = JoinTable.size(documents)
    if !hasRoom(size) { clear() }
    guard size <= capacity, resources.hasRoom(size) else { return false }
    table.documents[value] = documents
    bytes += size
    resources.lend(size)
    return true
  }

  /// Forgets all documents.
  func clear() {
    // As many follow as went.
    for table in tables.values { table.documents.removeAll(keepingCapacity: true) }
    resources.give(bytes)
    bytes = 0
  }
}

/// The documents of one sub-pipeline by the value of its key.
final class JoinTable {
  let plan: StagePlan
  let key: JoinKey
  /// The stages without operators; nil where they need some.
  let direct: DirectStages?
  /// None for a value is known, too: an empty list.
  fileprivate(set) var documents: [JoinValue: [DocumentRecord]] = [:]
  /// Set where the documents of few values take all memory, so that reading ahead is in vain.
  var isGivenUp = false

  init(_ plan: StagePlan, _ key: JoinKey) {
    self.plan = plan
    self.key = key
    direct = DirectStages(plan.stages, key)
  }

  /// About the bytes that documents take.
  static func size(_ documents: [DocumentRecord]) -> Int {
    documents.reduce(128) { $0 + $1.fields.bytes.count + 256 }
  }
}
