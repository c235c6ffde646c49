import Access
import FirestoreModel

/// One kind of data that `brasa export` writes and `brasa import` reads.
///
/// Data are items, each in a file that the export names. An item is one line of JSON, unless the command knows
/// another form of the kind for the way between processes.
package struct StorageTransfer: Sendable {
  /// Hands out every item of the scope at one version, file by file, and returns how many there were.
  package typealias Export =
    @Sendable (
      _ scope: StorageScope,
      _ tell: (StorageEvent) throws -> Void,
      _ item: (StorageItem) throws -> Void
    ) throws -> StorageCount
  /// Stores the items that `next` gives, nil behind the last, and returns how many it stored and skipped.
  ///
  /// An item of a name that exists replaces it. An item that cannot be stored is reported as one
  /// difference; others continue. `tell` is not called before the last item was read.
  package typealias Import =
    @Sendable (
      _ scope: StorageScope,
      _ next: () throws -> [UInt8]?,
      _ tell: (StorageEvent) throws -> Void
    ) throws -> StorageCount

  /// Names the kind in commands, and its folder: lower-case, no two of the program alike.
  package let name: String
  /// Exports every item of a scope; blocks until the last one is delivered.
  package let exportItems: Export
  /// Imports items into a scope; blocks until the last one is stored.
  package let importItems: Import
  /// True if the items are secrets: they are exported under a passphrase, and not with all others.
  package var isSecret: Bool { companion != nil }
  /// The kind whose secrets the items are: they are exported with it; nil where the items are no secrets.
  package var companion: String?

  /// A kind of that name.
  package init(_ name: String, export: @escaping Export, import: @escaping Import) {
    self.name = name
    exportItems = export
    importItems = `import`
  }
}

/// The subject of an export or an import, and the right to it.
package struct StorageScope: Sendable {
  /// The right to read or to replace everything in the scope.
  package let permit: AdministratorPermit
  /// Kinds that belong to projects take its project.
  package let database: DatabaseID
  /// The version at which the restore began that fills the database with an import; nil for other imports.
  package var fill: CommitVersion?

  /// The scope of a database and its project.
  package init(permit: AdministratorPermit, database: DatabaseID) {
    self.permit = permit
    self.database = database
  }
}

/// One item of an export.
package struct StorageItem: Sendable, Equatable {
  /// The file that it belongs to, as people would name it: a path, without an ending.
  package let file: String
  /// The item's line of JSON, or the command's other form of the kind.
  package let bytes: [UInt8]

  /// An item of a file.
  package init(file: String, bytes: [UInt8]) {
    self.file = file
    self.bytes = bytes
  }
}
