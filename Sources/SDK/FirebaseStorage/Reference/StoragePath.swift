import Foundation

/// A bucket and a path in it: parts with one slash between them, none at the ends.
struct StoragePath: Sendable, Hashable {
  let bucket: String
  let object: String

  init(bucket: String, object: String) {
    self.bucket = bucket
    self.object = Self.normalized(object)
  }

  /// Reads `gs://bucket/path`, `http://…/v0/b/bucket/o/path` or the same with https, with or without a query.
  init(_ url: String) throws(StorageError) {
    if url.hasPrefix("gs://") {
      let halves = url.dropFirst(5).split(
        separator: "/",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      guard let bucket = halves.first, !bucket.isEmpty else { throw Self.noPath(url) }
      self.init(bucket: String(bucket), object: halves.count > 1 ? String(halves[1]) : "")
    } else if url.hasPrefix("http://") || url.hasPrefix("https://") {
      try self.init(http: url)
    } else {
      throw Self.noPath(url)
    }
  }

  private init(http url: String) throws(StorageError) {
    guard let path = URLComponents(string: url)?.percentEncodedPath else { throw Self.noPath(url) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count >= 3, parts[0] == "v0", parts[1] == "b",
      let bucket = parts[2].removingPercentEncoding, parts.count == 3 || parts[3] == "o",
      let object = parts.dropFirst(4).joined(separator: "/").removingPercentEncoding
    else { throw Self.noPath(url) }
    self.init(bucket: bucket, object: object)
  }

  private static func noPath(_ url: String) -> StorageError {
    .pathError(
      message:
        "\(url) is not the URL of an object: it must begin with gs://, http:// or https:// and name "
        + "a bucket."
    )
  }

  private static func normalized(_ path: String) -> String {
    path.split(separator: "/").joined(separator: "/")
  }

  var root: StoragePath { StoragePath(bucket: bucket, object: "") }

  /// The path without its last part; nil for the bucket itself.
  var parent: StoragePath? {
    guard !object.isEmpty else { return nil }
    return StoragePath(
      bucket: bucket,
      object: object.lastIndex(of: "/").map { String(object[..<$0]) } ?? ""
    )
  }

  func child(_ path: String) -> StoragePath {
    StoragePath(bucket: bucket, object: "\(object)/\(path)")
  }

  /// The last part of a path.
  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}
