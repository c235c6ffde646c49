import BaseText

/// A bucket and the project that it belongs to.
package struct BucketID: Sendable, Hashable {
  /// The id of the project that the bucket belongs to.
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

  /// The project that owns a name by its form, even if another project has a bucket with it; nil
  /// for names that are free to all.
  ///
  /// Beside the default buckets' names those are the names below them, such as `staging.shop.appspot.com`.
  package static func owner(ofName name: Text) -> Text? {
    for suffix in defaultSuffixes where name.string.hasSuffix(suffix) {
      let labels = name.string.dropLast(suffix.count).split(separator: ".")
      return labels.last.map { Text(String($0)) }
    }
    return nil
  }

  /// The bucket in the hands of another project: a name that belongs to its project becomes the other's.
  package func moved(to other: Text) -> BucketID {
    let text = name.string
    for suffix in Self.defaultSuffixes where text.hasSuffix(project.string + suffix) && !isFree {
      let rest = text.dropLast(project.string.count + suffix.count)
      return BucketID(project: other, name: Text(rest + other.string + suffix))
    }
    return BucketID(project: other, name: name)
  }

  private var isFree: Bool { Self.owner(ofName: name) == nil }

  /// True where the project may have a bucket of that name.
  package var isRightful: Bool { Self.owner(ofName: name).map { $0 == project } ?? true }

  private static let defaultSuffixes = [".firebasestorage.app", ".appspot.com"]
}
