import BaseText
import FirestoreModel
import FirestoreSync
import GRDB

/// A local store in a file, which survives the end of its process.
///
/// The format is that of `CacheSchema`. Used from one thread at a time, as every local store. A transaction that throws leaves file and memory as they
/// were before it.
package final class DurableLocalStore: LocalStore {
  /// Transactions of these labels fail before they change anything: a fault that tests inject.
  package var failingLabels: Set<TransactionLabel> = []

  /// A name that no other file has; with it a batch's number says which batch it is, wherever it is sent.
  package internal(set) var name: String

  let database: DatabaseID
  private let queue: DatabaseQueue
  /// The connection, during a transaction.
  private var connection: Database?
  private var statements: [String: CacheStatement] = [:]
  /// Numbers that were looked up or given out; a transaction that is undone takes its numbers along.
  var collectionNumbers: [ResourcePath: Int64] = [:]
  var collectionPaths: [Int64: ResourcePath] = [:]
  var userNumbers: [UserID: Int64] = [:]
  /// The collection that was looked up last: one document of it often follows another.
  private var lastCollection: (path: ResourcePath, number: Int64)?
  private var isSynchronous = true
  /// True if the log may have content that the file itself lacks.
  private var isLogUsed = true

  /// A store over an open file whose format is checked.
  init(_ queue: DatabaseQueue, name: String, database: DatabaseID) {
    self.queue = queue
    self.name = name
    self.database = database
  }

  /// Runs the body in one SQLite transaction; only `writeLocally` waits for the disk.
  package func transaction<R>(_ label: TransactionLabel, _ body: () throws -> R) throws -> R {
    if failingLabels.contains(label) {
      throw LocalStoreError("The transaction \"\(label.rawValue)\" was made to fail.")
    }
    do {
      return try run(isSynchronous: label.changesStore ? label == .writeLocally : nil, body)
    } catch {
      forgetNumbers()
      for statement in statements.values { statement.reset() }
      throw error
    }
  }

  /// Runs a transaction; one that changes nothing is as good with either setting.
  private func run<R>(isSynchronous: Bool?, _ body: () throws -> R) throws -> R {
    try queue.writeWithoutTransaction { connection in
      self.connection = connection
      defer { self.connection = nil }
      if let isSynchronous {
        try setSynchronous(isSynchronous, connection)
        isLogUsed = true
      }
      var result: R?
      try connection.inTransaction(.deferred) {
        result = try body()
        return .commit
      }
      guard let result else { throw LocalStoreError("The transaction had no result.") }
      return result
    }
  }

  private func setSynchronous(_ isWanted: Bool, _ connection: Database) throws {
    guard isWanted != isSynchronous else { return }
    try connection.execute(sql: "PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    isSynchronous = isWanted
  }

  private func forgetNumbers() {
    collectionNumbers = [:]
    collectionPaths = [:]
    userNumbers = [:]
    lastCollection = nil
  }

  /// Lets the file have at most so many pages: a full disk, for tests.
  package func limitPages(to count: Int) throws {
    try queue.writeWithoutTransaction { connection in
      try connection.execute(sql: "PRAGMA max_page_count = \(count)")
    }
  }

  /// Writes the log into the file, so that no transaction soon must.
  package func settle() throws {
    guard isLogUsed else { return }
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    isLogUsed = false
  }

  /// Closes the file; the store is not used any more.
  package func close() throws {
    statements = [:]
    try queue.close()
  }

  /// The compiled statement of a text.
  func statement(_ sql: String) throws -> CacheStatement {
    if let present = statements[sql] { return present }
    guard let connection else {
      throw LocalStoreError("The local store was used outside a transaction.")
    }
    let made = try CacheStatement(sql, in: connection)
    statements[sql] = made
    return made
  }

  // MARK: Numbers of collections and users

  /// A collection's number, given out if there is none yet.
  func number(ofNew collection: ResourcePath) throws -> Int64 {
    if let present = try number(of: collection) { return present }
    let insert = try statement("INSERT INTO collections (path, name) VALUES (?, ?)")
    try insert.bind(collection.encoded).bind(collection.lastID?.string ?? "").run()
    guard let made = try number(of: collection) else {
      throw LocalStoreError("A collection could not be numbered.")
    }
    return made
  }

  /// A collection's number; nil where the cache has nothing of it.
  func number(of collection: ResourcePath) throws -> Int64? {
    if let present = collectionNumbers[collection] { return present }
    let select = try statement("SELECT number FROM collections WHERE path = ?")
    let found = try select.bind(collection.encoded).firstRow { $0.integer(0) }
    if let found { note(collection, found) }
    return found
  }

  /// The collection of a number.
  func collection(_ number: Int64) throws -> ResourcePath {
    if let present = collectionPaths[number] { return present }
    let select = try statement("SELECT path FROM collections WHERE number = ?")
    let found = try select.bind(number).firstRow { row in
      row.withBytes(0) { ResourcePath(encoded: $0) }
    }
    guard let path = found ?? nil else { throw CacheError.damaged("collection \(number)") }
    note(path, number)
    return path
  }

  private func note(_ collection: ResourcePath, _ number: Int64) {
    collectionNumbers[collection] = number
    collectionPaths[number] = collection
  }

  /// The number of the collection that a document is in, given out if there is none yet and one is wanted.
  fileprivate func number(ofParent path: ResourcePath, isNew: Bool) throws -> Int64? {
    if let lastCollection, path.isDirectly(below: lastCollection.path) {
      return lastCollection.number
    }
    let parent = path.parent
    guard let number = isNew ? try number(ofNew: parent) : try number(of: parent) else {
      return nil
    }
    lastCollection = (parent, number)
    return number
  }

  /// A user's number, given out if there is none yet.
  func number(ofNew user: UserID) throws -> Int64 {
    if let present = try number(of: user) { return present }
    try statement("INSERT INTO users (name) VALUES (?)").bind(user ?? "").run()
    guard let made = try number(of: user) else {
      throw LocalStoreError("A user could not be numbered.")
    }
    return made
  }

  /// A user's number; nil for one who never wrote.
  func number(of user: UserID) throws -> Int64? {
    guard let name = user else { return 0 }
    if let present = userNumbers[user] { return present }
    let select = try statement("SELECT number FROM users WHERE name = ?")
    let found = try select.bind(name).firstRow { $0.integer(0) }
    if let found { userNumbers[user] = found }
    return found
  }
}

/// The key of a document's rows: its collection's number and its id's bytes.
struct DocumentKey {
  let collection: Int64
  let id: [UInt8]
}

extension DurableLocalStore {
  /// A document's key; nil where the cache has nothing of its collection.
  func key(of path: ResourcePath) throws -> DocumentKey? {
    guard let id = path.lastID, let collection = try number(ofParent: path, isNew: false) else {
      return nil
    }
    return DocumentKey(collection: collection, id: id.encoded)
  }

  /// A document's key; its collection gets a number if it has none.
  func key(ofNew path: ResourcePath) throws -> DocumentKey {
    guard let id = path.lastID, let collection = try number(ofParent: path, isNew: true) else {
      throw LocalStoreError("A document without an id was to be cached.")
    }
    return DocumentKey(collection: collection, id: id.encoded)
  }

  /// The document of a row's two columns.
  func path(_ row: CacheStatement, _ collection: Int32, _ id: Int32) throws -> ResourcePath {
    let parent = try self.collection(row.integer(collection))
    let text = row.withBytes(id) { raw in
      var position = 0
      return SegmentEncoding.decode(raw, at: &position)
    }
    guard let text else { throw CacheError.damaged("a document's id in \(parent.string)") }
    return parent.appending(text)
  }
}

extension CacheStatement {
  func bind(_ key: DocumentKey) -> CacheStatement { bind(key.collection).bind(key.id) }
}

extension Text {
  /// The id as keys have it.
  fileprivate var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 3)
    SegmentEncoding.append(self, to: &bytes)
    return bytes
  }
}

extension ResourcePath {
  /// Returns true if the path is of a document in that collection.
  fileprivate func isDirectly(below collection: ResourcePath) -> Bool {
    segments.count == collection.segments.count + 1 && segments.starts(with: collection.segments)
  }

  /// The path's segments one after the other.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    SegmentEncoding.append(self, to: &bytes)
    return bytes
  }

  /// Reads what `encoded` gives; nil for anything else.
  init?(encoded bytes: UnsafeRawBufferPointer) {
    var position = 0
    guard let path = SegmentEncoding.decodePath(bytes, at: &position) else { return nil }
    self = path
  }
}
