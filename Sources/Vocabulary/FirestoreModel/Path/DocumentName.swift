import BaseText

/// `projects/{project}/databases/{database}`; the default database's id is literally `(default)`.
package struct DatabaseID: Sendable, Hashable {
  /// The id of the project that has the database.
  package let project: Text
  /// The id, unique in its project.
  package let database: Text

  /// Names a database; validation is `init(parsing:)`'s.
  package init(project: Text, database: Text = "(default)") {
    self.project = project
    self.database = database
  }

  /// `projects/{project}/databases/{database}`.
  package var path: String { "projects/\(project.string)/databases/\(database.string)" }
}

/// Segments below a database's `documents`: collection id, document id, collection id, ...
///
/// Empty is the root; an even count names a document, an odd one a collection.
package struct ResourcePath: Sendable, Hashable {
  /// The ids as they are, unescaped.
  package let segments: [Text]

  /// A path of segments already known to be valid.
  package init(_ segments: [Text]) { self.segments = segments }

  /// The database's root.
  package static let root = ResourcePath([])

  /// True without segments: the path of the database's `documents` itself.
  package var isRoot: Bool { segments.isEmpty }
  /// True for an even number of segments other than zero.
  package var isDocument: Bool { !segments.isEmpty && segments.count.isMultiple(of: 2) }
  /// True for an odd number of segments.
  package var isCollection: Bool { !segments.count.isMultiple(of: 2) }

  /// The last segment; nil at the root.
  package var lastID: Text? { segments.last }

  /// The path one segment up; the root's is the root.
  package var parent: ResourcePath { ResourcePath(Array(segments.dropLast())) }

  /// The path one segment down.
  package func appending(_ segment: Text) -> ResourcePath { ResourcePath(segments + [segment]) }

  /// Segments joined by `/`.
  package var string: String { segments.map(\.string).joined(separator: "/") }
}

/// A document's full resource name: its database and its (even, non-empty) path.
package struct DocumentName: Sendable, Hashable {
  /// The database that holds the document.
  package let database: DatabaseID
  /// The path below `documents`; its last segment is the document's id.
  package let path: ResourcePath

  /// A name of parts already known to be valid.
  package init(database: DatabaseID, path: ResourcePath) {
    self.database = database
    self.path = path
  }

  /// `projects/{p}/databases/{d}/documents/{path}`.
  package var string: String { "\(database.path)/documents/\(path.string)" }
}
