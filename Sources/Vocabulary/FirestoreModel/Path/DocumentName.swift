/// `projects/{project}/databases/{database}`; the default database's id is literally `(default)`.
package struct DatabaseID: Sendable, Hashable {
  package let project: Text
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
  package let segments: [Text]

  /// A path of segments already known to be valid.
  package init(_ segments: [Text]) { self.segments = segments }

  /// The database's root.
  package static let root = ResourcePath([])

  package var isRoot: Bool { segments.isEmpty }
  package var isDocument: Bool { !segments.isEmpty && segments.count.isMultiple(of: 2) }
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
  package let database: DatabaseID
  package let path: ResourcePath

  /// A name of parts already known to be valid.
  package init(database: DatabaseID, path: ResourcePath) {
    self.database = database
    self.path = path
  }

  /// `projects/{p}/databases/{d}/documents/{path}`.
  package var string: String { "\(database.path)/documents/\(path.string)" }
}
