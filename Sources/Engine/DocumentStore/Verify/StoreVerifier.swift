import BaseText
import FirestoreModel
import KeyValueStore

/// One run over one view of a database; `Database.verify` has the promise.
final class StoreVerifier {
  let database: Database
  let reader: any KeyValueReader
  /// The definitions as the view has them.
  let indexes: IndexSet
  var summary = VerificationSummary()
  /// Records of the index history that changes name.
  var endedEntries = 0
  private let progress: (Int) throws -> Void
  private let reportDifference: (StoreDifference) throws -> Void
  /// Indexes of which entries may be missing or left over.
  let unfinished: UnfinishedIndexes

  init(
    _ database: Database,
    _ view: ReadView,
    progress: @escaping (Int) throws -> Void,
    report: @escaping (StoreDifference) throws -> Void
  ) throws {
    self.database = database
    reader = view.reader
    indexes = try IndexStorage.load(database.incarnation, view.reader)
    unfinished = UnfinishedIndexes(in: indexes)
    self.progress = progress
    reportDifference = report
    summary.version = view.version
    summary.skippedUnfinishedIndexes = !unfinished.isEmpty
  }

  func run() throws -> VerificationSummary {
    try verifyDocuments()
    try verifyEntryCount()
    try verifyDirectory()
    try verifyCommits()
    try verifyChanges()
    try verifyHistory()
    try verifyEntryHistoryCount()
    try verifyAnswers()
    return summary
  }

  func report(_ kind: StoreDifference.Kind, _ location: String) throws {
    summary.differences += 1
    try reportDifference(StoreDifference(kind: kind, location: location))
  }

  func cursor(over space: KeySpace) throws -> any KeyValueCursor {
    let range = KeyRange(prefix: space.prefix(database.incarnation))
    return try reader.cursor(over: range, reversed: false)
  }

  /// Every document has its index entries, its collection's directory entries and its change.
  private func verifyDocuments() throws {
    let cursor = try cursor(over: .document)
    var collection: ResourcePath?
    while try cursor.next() {
      guard let path = DocumentKey.path(ofKey: cursor.key) else {
        try report(.damagedDocument, Hexadecimal.text(cursor.key))
        continue
      }
      guard let document = try? StoredDocument(value: cursor.value) else {
        try report(.damagedDocument, path.string)
        continue
      }
      let entries = indexes.entries(of: path, fields: document.fields)
      summary.documents += 1
      for entry in entries { try verify(entry, of: document, at: path) }
      try verifyChange(of: path, at: document.updateTime)
      if path.parent != collection {
        collection = path.parent
        try verifyEntries(of: path.parent)
      }
      if summary.documents.isMultiple(of: 1_000) { try progress(summary.documents) }
    }
    try progress(summary.documents)
  }

  private func verify(
    _ entry: IndexEntry,
    of document: StoredDocument,
    at path: ResourcePath
  ) throws {
    guard let value = try reader.get(entry.key) else {
      if !unfinished.contains(entry.key) { try report(.missingEntry, location(entry, path)) }
      return
    }
    summary.indexEntries += unfinished.contains(entry.key) ? 0 : 1
    let version = value.withUnsafeBytes { IndexEntryCoding.version(ofValue: $0) }
    let expected = IndexEntryCoding.value(version: version, tags: entry.tags)
    if value != expected || version > document.updateTime {
      try report(.wrongEntry, location(entry, path))
    }
  }

  /// With as many entries as the documents have, and each of those there, none is left over;
  /// otherwise the documents that the surplus ones name must be looked for by hand.
  private func verifyEntryCount() throws {
    var count = 0
    for space in [KeySpace.automaticIndex, .declaredIndex] {
      let cursor = try cursor(over: space)
      while try cursor.next() {
        if !unfinished.contains([UInt8](cursor.key)) { count += 1 }
      }
    }
    if count != summary.indexEntries {
      let surplus = count - summary.indexEntries
      try report(.surplusEntry, "\(surplus) entries that no document has")
    }
  }

  private func location(_ entry: IndexEntry, _ path: ResourcePath) -> String {
    "\(path.string), key \(entry.key.withUnsafeBytes { Hexadecimal.text($0) })"
  }
}

/// The indexes that are being built or erased: their entries are not judged.
struct UnfinishedIndexes {
  private let numbers: Set<UInt32>
  private let hasAutomatic: Bool

  init(in indexes: IndexSet) {
    numbers = Set(
      indexes.declared.filter { !Self.isReady($0.state) }.map(\.number)
    )
    hasAutomatic = indexes.overrides.contains { override in
      override.states.values.contains { !Self.isReady($0) }
    }
  }

  var isEmpty: Bool { numbers.isEmpty && !hasAutomatic }

  /// Returns true if a key, of an entry or of its history, belongs to one of them.
  func contains(_ key: [UInt8]) -> Bool {
    guard !isEmpty, key.count >= 9 else { return false }
    let automatic = [KeySpace.automaticIndex, .automaticIndexHistory].map(\.rawValue)
    if automatic.contains(key[0]) { return hasAutomatic }
    let number = key.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 5, as: UInt32.self) }
    return numbers.contains(UInt32(bigEndian: number))
  }

  private static func isReady(_ state: IndexState) -> Bool {
    if case .ready = state { return true }
    return false
  }
}
