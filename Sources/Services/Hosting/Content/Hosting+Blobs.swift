import KeyValueStore
import ObjectStorage

extension Hosting {
  /// The keys of the records of content.
  package static let contentKeys = KeyRange(prefix: HostingKey.prefix(.content))

  /// The file of a record of content; nil where the engine has the bytes.
  package static func blob(ofContent record: UnsafeRawBufferPointer) throws -> BlobInFile? {
    let content = try HostingRecord.read(Array(record), as: HostedContent.self)
    guard let name = content.blob, content.isShared != true else { return nil }
    guard let id = BlobID(hexadecimal: name) else {
      throw KeyValueError(.corruption, "A record of a site's content names no blob.")
    }
    return BlobInFile(id: id, size: content.size)
  }
}
