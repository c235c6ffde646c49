import DocumentCodec
import FirestoreModel
import KeyValueStore

/// The information needed to read one query's plan, for as long as one view is open.
final class QueryContext {
  let view: ReadView
  let incarnation: Incarnation
  let database: DatabaseID
  let query: NormalizedQuery
  let space: NameSpace
  /// The key of the document that is being read; what comes before the name stays.
  private var key: [UInt8]
  private let keyPrefix: Int

  init(
    view: ReadView,
    incarnation: Incarnation,
    database: DatabaseID,
    query: NormalizedQuery,
    space: NameSpace
  ) {
    self.view = view
    self.incarnation = incarnation
    self.database = database
    self.query = query
    self.space = space
    key = KeySpace.document.prefix(incarnation, reserving: 128)
    if let collection = space.collectionBytes {
      key.append(contentsOf: collection)
      key.append(SegmentEncoding.terminator)
    }
    keyPrefix = key.count
  }

  /// The document under a name part (ascending) as it was at the view's version.
  func document(named name: [UInt8]) throws -> StoredDocument? {
    setKey(ofName: name)
    view.statistics.documentsScanned += 1
    try view.step()
    if let document = try view.liveDocument(key) {
      if view.isCurrent || document.updateTime <= view.version { return document }
    } else if view.isCurrent {
      return nil
    }
    return try historicDocument()
  }

  /// The document that a stream lends as a record; read by its key where that cannot be decoded.
  func document(
    lent record: UnsafeRawBufferPointer,
    named name: [UInt8]
  ) throws -> StoredDocument? {
    do {
      return try StoredDocument(value: record)
    } catch {
      return try document(named: name)
    }
  }

  /// The path that a name part (ascending) encodes.
  func path(ofName name: [UInt8]) throws -> ResourcePath {
    guard let path = name.withUnsafeBytes({ space.path(ofName: $0) }) else {
      throw name.withUnsafeBytes { CorruptIndex.error($0) }
    }
    return path
  }

  /// Returns true if a document's fields satisfy the query.
  func matches(_ document: StoredDocument, named name: [UInt8]) throws -> Bool {
    matches(document, at: try path(ofName: name))
  }

  /// Returns true if the document at a path is in the query's scope and its fields satisfy the
  /// query.
  func matches(_ document: StoredDocument, at path: ResourcePath) -> Bool {
    let record = document.record(name: DocumentName(database: database, path: path))
    return query.holds(path) && query.passesFilter(record)
  }

  /// An index names a document that does not exist.
  func missingDocument(_ name: [UInt8]) -> KeyValueError {
    KeyValueError(
      .corruption,
      "an index entry names a document that does not exist",
      metadata: ["path": (try? path(ofName: name).string) ?? ""]
    )
  }

  /// The record that was the document at the view's version: the first that ended after it.
  private func historicDocument() throws -> StoredDocument? {
    var prefix = key
    prefix[0] = KeySpace.documentHistory.rawValue
    var lower = prefix
    lower.append(view.version.next)
    let range = KeyRange(lower: lower, upper: KeyRange.successor(ofPrefix: prefix))
    let cursor = try view.reader.cursor(over: range, reversed: false)
    view.statistics.seeks += 1
    guard try cursor.next() else { return nil }
    let document = try cursor.value(as: .document, in: view.reader)
    return document.updateTime <= view.version ? document : nil
  }

  private func setKey(ofName name: [UInt8]) {
    key.removeLast(key.count - keyPrefix)
    if space.collection == nil {
      appendKeyBody(ofPath: name)
    } else {
      key.append(contentsOf: name)
    }
  }

  /// Moves the terminator of a whole path before its last segment, where document keys have it.
  private func appendKeyBody(ofPath name: [UInt8]) {
    name.withUnsafeBytes { bytes in
      var last = 0
      var offset = 0
      while offset < bytes.count - 1 {
        last = offset
        guard SegmentEncoding.decode(bytes, at: &offset) != nil else { break }
      }
      key.append(contentsOf: bytes[..<last])
      key.append(SegmentEncoding.terminator)
      key.append(contentsOf: bytes[last..<(bytes.count - 1)])
    }
  }
}
