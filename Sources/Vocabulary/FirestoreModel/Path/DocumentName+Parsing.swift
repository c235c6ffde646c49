import BaseStatus
import BaseText

extension DatabaseID {
  /// Reads `projects/{project}/databases/{database}`.
  package init(parsing name: String) throws(ServiceError) {
    let text = Text(name)
    self = try text.parsing { bytes throws(ServiceError) in
      var parser = NameParser(bytes, kind: "Database name")
      let (project, database) = try parser.database()
      try parser.end()
      return DatabaseID(project: parser.text(project), database: parser.text(database))
    }
  }
}

extension DocumentName {
  /// Reads a document's full resource name.
  ///
  /// Also takes what clients use as bounds of key ranges: `__id-9223372036854775808__` as a
  /// document's id and a collection id that ends in NUL.
  package init(parsing name: String) throws(ServiceError) {
    self = try Text(name).parsing { bytes throws(ServiceError) in
      try DocumentName(parsing: bytes)
    }
  }

  /// Reads a document's full resource name from valid UTF-8.
  package init(parsing bytes: UnsafeRawBufferPointer) throws(ServiceError) {
    let name = try ParentName(parsing: bytes, kind: "Document name", allowingRoot: false)
    self.init(database: name.database, path: name.path)
  }

  /// Throws what `init(parsing:)` would, builds nothing and returns where the path begins.
  @discardableResult
  package static func check(_ bytes: UnsafeRawBufferPointer) throws(ServiceError) -> Int {
    var parser = NameParser(bytes, kind: "Document name")
    var start = bytes.count
    _ = try parser.database()
    try parser.path(allowingRoot: false) { start = min(start, $0.lowerBound) }
    return start
  }
}

/// The parent of a query or of a new document: a database's root or a document.
package struct ParentName: Sendable, Hashable {
  /// The database that the path begins at.
  package let database: DatabaseID
  /// The root or a document.
  package let path: ResourcePath

  /// A name of parts already known to be valid.
  package init(database: DatabaseID, path: ResourcePath) {
    self.database = database
    self.path = path
  }

  /// Reads `projects/{p}/databases/{d}/documents` or a document's name.
  package init(parsing name: String) throws(ServiceError) {
    self = try Text(name).parsing { bytes throws(ServiceError) in
      try ParentName(parsing: bytes, kind: "Document parent name", allowingRoot: true)
    }
  }

  init(
    parsing bytes: UnsafeRawBufferPointer,
    kind: StaticString,
    allowingRoot: Bool
  ) throws(ServiceError) {
    var parser = NameParser(bytes, kind: kind)
    let (project, databaseID) = try parser.database()
    var places: [Range<Int>] = []
    try parser.path(allowingRoot: allowingRoot) { places.append($0) }
    database = DatabaseID(project: parser.text(project), database: parser.text(databaseID))
    path = ResourcePath(places.map(parser.text))
  }

  /// `projects/{p}/databases/{d}/documents`, then the path.
  package var string: String {
    path.isRoot ? "\(database.path)/documents" : "\(database.path)/documents/\(path.string)"
  }
}

extension Text {
  /// Lends the UTF-8 bytes to a parser with typed errors.
  func parsing<R>(
    _ body: (UnsafeRawBufferPointer) throws(ServiceError) -> R
  ) throws(ServiceError) -> R {
    try withBytes { bytes in
      Result { () throws(ServiceError) in try body(bytes) }
    }.get()
  }
}
