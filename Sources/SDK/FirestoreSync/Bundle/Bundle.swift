import BaseJSON
import BaseStatus
import FirestoreModel

/// The progress of loading a bundle.
package struct BundleProgress: Sendable, Hashable {
  /// Documents read so far, with those that are known to be missing.
  package var documentsLoaded: Int
  /// Documents that the bundle's metadata announces; 0 where it says nothing.
  package var totalDocuments: Int
  /// Bytes of the elements read so far, without those of the metadata.
  package var bytesLoaded: Int
  /// Bytes that the bundle's metadata announces; 0 where it says nothing.
  package var totalBytes: Int
}

/// A bundle: documents and named queries that were read at a server and packed.
///
/// FORMAT
///
/// Elements, each a decimal length in bytes followed by that many bytes of a JSON object with one member:
/// `metadata` first, then in any order `namedQuery`, `documentMetadata` and, behind the metadata of a document that
/// exists, its `document`.
package struct Bundle: Sendable {
  /// The id, the creation time and the version in the bundle's metadata.
  package let record: BundleRecord
  /// The progress at the end of the bundle.
  package let progress: BundleProgress
  let queries: [NamedQuery]
  let documents: [ResourcePath: CachedDocument]
  /// The documents that belong to each named query.
  let documentsByQuery: [String: Set<ResourcePath>]

  /// Reads a whole bundle of a database; reports progress at first and behind each document.
  package init(
    parsing bytes: [UInt8],
    database: DatabaseID,
    progress report: (BundleProgress) -> Void = { _ in }
  ) throws(ServiceError) {
    var reader = BundleReader(bytes, database: database)
    guard let first = try reader.next(), let metadata = first.json["metadata"] else {
      throw .invalidArgument(
        "The first element of the bundle is not a metadata object."
      )
    }
    record = try reader.record(metadata)
    var contents = BundleContents()
    var progress = BundleProgress(
      documentsLoaded: 0,
      totalDocuments: Int(metadata["totalDocuments"]?.integer ?? 0),
      bytesLoaded: 0,
      totalBytes: Int(metadata["totalBytes"]?.number ?? 0)
    )
    report(progress)
    while let element = try reader.next() {
      try contents.add(element.json, reader.messages)
      progress.bytesLoaded += element.byteCount
      guard contents.documents.count > progress.documentsLoaded else { continue }
      progress.documentsLoaded = contents.documents.count
      report(progress)
    }
    try contents.finish()
    queries = contents.queries
    documents = contents.documents
    documentsByQuery = contents.documentsByQuery
    self.progress = progress
  }
}

extension JSONValue {
  /// A 64-bit number, which JSON of protobuf spells as text.
  fileprivate var number: Int64? { integer ?? string.flatMap { Int64($0) } }
}

/// Reads a bundle's elements one by one.
private struct BundleReader {
  let messages: ProtoJSON
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8], database: DatabaseID) {
    self.bytes = bytes
    messages = ProtoJSON(database: database)
  }

  mutating func next() throws(ServiceError) -> (json: JSONValue, byteCount: Int)? {
    let start = position
    guard let length = try length() else { return nil }
    guard length <= bytes.count - position else {
      throw .invalidArgument("Reached the end of bundle when more is expected.")
    }
    let text = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
    position += length
    return (try JSONValue(parsing: text), position - start)
  }

  private mutating func length() throws(ServiceError) -> Int? {
    var result: Int?
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
      let (product, overflow) = (result ?? 0).multipliedReportingOverflow(by: 10)
      guard !overflow, product < 1 << 40 else {
        throw .invalidArgument("A length in the bundle is too large.")
      }
      result = product + Int(bytes[position] - 0x30)
      position += 1
    }
    if result == nil, position < bytes.count {
      throw .invalidArgument("Reached the end of bundle when a length string is expected.")
    }
    return result
  }

  func record(_ metadata: JSONValue) throws(ServiceError) -> BundleRecord {
    guard let id = metadata["id"]?.string else { throw messages.malformed("bundle's metadata") }
    return BundleRecord(
      id: id,
      createTime: try messages.version(metadata["createTime"]),
      version: Int(metadata["version"]?.integer ?? 0)
    )
  }
}

/// The content that a bundle's elements add up to.
private struct BundleContents {
  var queries: [NamedQuery] = []
  var documents: [ResourcePath: CachedDocument] = [:]
  var documentsByQuery: [String: Set<ResourcePath>] = [:]
  /// The document whose metadata came last and whose content has to follow.
  private var announced: (name: DocumentName, readTime: CommitVersion)?

  mutating func add(_ json: JSONValue, _ messages: ProtoJSON) throws(ServiceError) {
    if let query = json["namedQuery"] {
      queries.append(try Self.namedQuery(query, messages))
    } else if let metadata = json["documentMetadata"] {
      try add(metadata: metadata, messages)
    } else if let document = json["document"] {
      try add(document: document, messages)
    } else {
      throw messages.malformed("bundle's element")
    }
  }

  func finish() throws(ServiceError) {
    if announced != nil {
      throw .invalidArgument(
        "Bundled documents end with a document metadata element instead of a document."
      )
    }
  }

  private mutating func add(
    metadata: JSONValue,
    _ messages: ProtoJSON
  ) throws(ServiceError) {
    try finish()
    let name = try messages.documentName(metadata["name"])
    let readTime = try messages.version(metadata["readTime"])
    for query in metadata["queries"]?.elements ?? [] {
      if let query = query.string { documentsByQuery[query, default: []].insert(name.path) }
    }
    if metadata["exists"]?.boolean == true {
      announced = (name, readTime)
    } else {
      documents[name.path] = CachedDocument(
        name: name,
        content: .missing,
        version: readTime,
        readTime: readTime
      )
    }
  }

  private mutating func add(
    document: JSONValue,
    _ messages: ProtoJSON
  ) throws(ServiceError) {
    guard let (name, readTime) = announced else {
      throw .invalidArgument("The document being added does not match the stored metadata.")
    }
    let document = try messages.document(document, readTime: readTime)
    guard document.name == name else {
      throw .invalidArgument("The document being added does not match the stored metadata.")
    }
    documents[name.path] = document
    announced = nil
  }

  private static func namedQuery(
    _ json: JSONValue,
    _ messages: ProtoJSON
  ) throws(ServiceError) -> NamedQuery {
    guard let name = json["name"]?.string, let bundled = json["bundledQuery"],
      let parent = bundled["parent"]?.string, let query = bundled["structuredQuery"]
    else { throw messages.malformed("named query") }
    return NamedQuery(
      name: name,
      query: try messages.query(query, parent: parent),
      limitType: bundled["limitType"]?.string == "LAST" ? .last : .first,
      readTime: try messages.version(json["readTime"])
    )
  }
}
