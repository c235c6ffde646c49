import BaseJSON
import BaseText
import Checksums
import ObjectStorage

extension StoredObject {
  /// The object as Google's JSON API shows it.
  ///
  /// - Parameter origin: The URL of the server, without a path.
  func json(origin: String) -> JSONValue {
    let path = "b/\(bucket.text.string)/o/\(PercentEncoding.encode(name.text.string))"
    let media = "\(origin)/download/storage/v1/\(path)?generation=\(generation)&alt=media"
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("kind", .string("storage#object"))
    add("id", .string("\(bucket.text.string)/\(name.text.string)/\(generation)"))
    add("selfLink", .string("\(origin)/storage/v1/\(path)"))
    add("mediaLink", .string(media))
    add("name", .text(name.text))
    add("bucket", .text(bucket.text))
    add("generation", .integer(generation))
    add("metageneration", .integer(metageneration))
    add("contentType", attributes.contentType.map(JSONValue.text))
    add("storageClass", .text(attributes.shownStorageClass))
    add("size", .integer(size))
    add("md5Hash", hashes.md5.map { .string(Base64.standard($0)) })
    add("crc32c", .string(Base64.standard(CRC32C.bytes(of: hashes.crc32c))))
    add("etag", .string(entityTag))
    add("timeCreated", .time(created))
    add("updated", .time(updated))
    add("timeStorageClassUpdated", .time(created))
    add("timeFinalized", .time(created))
    addAttributes(add)
    addState(add)
    return .object(members)
  }

  private func addAttributes(_ add: (String, JSONValue?) -> Void) {
    add("cacheControl", attributes.cacheControl.map(JSONValue.text))
    add("contentDisposition", attributes.contentDisposition.map(JSONValue.text))
    add("contentEncoding", attributes.contentEncoding.map(JSONValue.text))
    add("contentLanguage", attributes.contentLanguage.map(JSONValue.text))
    add("customTime", attributes.customTimeText.map(JSONValue.string))
    add("componentCount", componentCount.map { .number("\($0)") })
    if attributes.isHeld { add("temporaryHold", .boolean(true)) }
    if attributes.isHeldForEvent { add("eventBasedHold", .boolean(true)) }
    guard !attributes.metadata.isEmpty else { return }
    let pairs = attributes.metadata.sorted { $0.key < $1.key }
    add(
      "metadata",
      .object(pairs.map { JSONValue.Member($0.key.string, .text($0.value)) })
    )
  }

  private func addState(_ add: (String, JSONValue?) -> Void) {
    switch state {
    case .live: break
    case .noncurrent(let since): add("timeDeleted", .time(since))
    case .softDeleted(let time, let end):
      add("softDeleteTime", .time(time))
      add("hardDeleteTime", .time(end))
    }
  }
}
