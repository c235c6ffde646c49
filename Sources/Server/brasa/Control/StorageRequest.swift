/// A request of `brasa storage` about buckets and objects.
enum StorageRequest: Codable, Sendable, Equatable {
  /// A project's buckets, a line each.
  case buckets(project: String)
  /// The content below a prefix: folders and objects, a line each.
  case list(StoragePath, isRecursive: Bool, isLong: Bool)
  /// The facts about an object, a line each.
  case stat(StoragePath)
  /// The amount of data in buckets: one, or all of a project.
  case usage(bucket: String?, project: String?)
  /// The amount of data that a bucket may hold, after a change of it.
  case quota(bucket: String, QuotaChange)
  /// Gives a bucket that another project made to the project that its name belongs to.
  case assign(bucket: String)
  /// Deletes an object, or all below a prefix.
  case remove(StoragePath, isRecursive: Bool)
  /// Hands out an object, or all below a prefix, as the items of a stream of files.
  case read(StoragePath, isRecursive: Bool)
  /// Stores the objects of the stream that follows.
  case write(bucket: String)
  /// Copies an object, or all below a prefix to another.
  case copy(StoragePath, to: StoragePath, isRecursive: Bool)

  /// The command that makes the request.
  var command: String {
    switch self {
    case .buckets, .list: "ls"
    case .stat: "stat"
    case .usage: "usage"
    case .quota: "quota"
    case .assign: "assign"
    case .remove: "rm"
    case .read, .write, .copy: "cp"
    }
  }
}

/// The change to a bucket's quota.
enum QuotaChange: Codable, Sendable, Equatable {
  case keep
  case remove
  case bytes(Int64)
}

/// A bucket, and an object's name or what names begin with.
struct StoragePath: Codable, Sendable, Equatable {
  var bucket: String
  var name: String

  /// A path in a bucket.
  init(bucket: String, name: String) {
    self.bucket = bucket
    self.name = name
  }

  /// The path of a text `gs://BUCKET[/NAME]`; nil for what does not begin so, or names no bucket.
  init?(url: String) {
    guard url.hasPrefix("gs://") else { return nil }
    let parts = url.dropFirst(5).split(
      separator: "/",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard let bucket = parts.first, !bucket.isEmpty else { return nil }
    self.init(bucket: String(bucket), name: parts.count > 1 ? String(parts[1]) : "")
  }

  /// The path as a folder: the prefix of the names in it, which ends with a slash or is empty.
  var folder: StoragePath {
    guard !name.isEmpty, !name.hasSuffix("/") else { return self }
    return StoragePath(bucket: bucket, name: name + "/")
  }

  /// True if it names no object, but a place in which there may be some.
  var isFolder: Bool { name.isEmpty || name.hasSuffix("/") }

  var url: String { "gs://\(bucket)/\(name)" }
}
