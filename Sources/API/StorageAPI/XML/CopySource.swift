import BaseText
import ObjectStorage

/// The object that a copy, or a part of a multipart upload, is made of, as headers name it.
struct CopySource {
  let bucket: BucketName
  let object: ObjectName
  let generation: Int64?
  let preconditions: ObjectPreconditions
  private let rangeHeader: String?

  /// Nil where a request copies nothing.
  init?(_ request: XMLRequest) throws {
    let prefixes = ["x-goog-copy-source", "x-amz-copy-source"]
    guard let prefix = prefixes.first(where: { request.header($0) != nil }),
      let source = request.header(prefix)
    else { return nil }
    let (path, version) = Self.split(source)
    let names = (PercentEncoding.decode(path) ?? String(path)).drop { $0 == "/" }
      .split(separator: "/", maxSplits: 1)
    guard names.count == 2 else { throw XMLFailure.invalid("\(prefix) is malformed.") }
    bucket = try BucketName(String(names[0]))
    object = try ObjectName(String(names[1]))
    if let version {
      guard let number = Int64(version) else {
        throw XMLFailure.invalid("The version of \(prefix) must be a number.")
      }
      generation = number
    } else {
      generation = try request.number("x-goog-copy-source-generation")
    }
    for kind in ["-if-modified-since", "-if-unmodified-since"]
    where request.header(prefix + kind) != nil {
      throw XMLFailure.unsupported(prefix + kind)
    }
    var conditions = try request.preconditions("x-goog-copy-source-if")
    conditions.entityTags = request.entityTags(prefix + "-if-match")
    conditions.notEntityTags = request.entityTags(prefix + "-if-none-match")
    preconditions = conditions
    rangeHeader = request.header(prefix + "-range")
  }

  var hasRange: Bool { rangeHeader != nil }

  /// The bytes of the object that are copied: all, or those of a range that lies in it.
  func range(of object: StoredObject) throws(XMLFailure) -> Range<Int64> {
    guard let rangeHeader else { return 0..<object.size }
    let bounds = rangeHeader.dropFirst("bytes=".count)
      .split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard rangeHeader.hasPrefix("bytes="), bounds.count == 2, let first = bounds[0],
      let last = bounds[1], 0 <= first, first <= last, last < object.size
    else { throw .invalid("The copy source's range is malformed, or not in the object.") }
    return first..<last + 1
  }

  /// A source without its version, which is behind the name: a question mark of the name is encoded.
  private static func split(_ source: String) -> (path: Substring, version: Substring?) {
    for mark in ["?versionId=", "?generation="] {
      guard let found = source.firstRange(of: mark) else { continue }
      return (source[..<found.lowerBound], source[found.upperBound...])
    }
    return (source[...], nil)
  }
}
