import FirestoreModel

/// A bucket and the project that it belongs to.
package struct BucketID: Sendable, Hashable {
  package let project: Text
  /// The bucket's name, which no other bucket of the server has.
  package let name: Text

  /// The bucket of that name.
  package init(project: Text, name: Text) {
    self.project = project
    self.name = name
  }

  /// The names of a project's default bucket: Google's newer one first, then the older.
  package static func defaults(of project: Text) -> [BucketID] {
    defaultSuffixes.map { BucketID(project: project, name: Text(project.string + $0)) }
  }

  /// The project whose default bucket has that name; nil for every other name.
  package static func project(ofDefault name: Text) -> Text? {
    for suffix in defaultSuffixes where name.string.hasSuffix(suffix) {
      let project = name.string.dropLast(suffix.count)
      return project.isEmpty || project.contains(".") ? nil : Text(String(project))
    }
    return nil
  }

  private static let defaultSuffixes = [".firebasestorage.app", ".appspot.com"]
}
