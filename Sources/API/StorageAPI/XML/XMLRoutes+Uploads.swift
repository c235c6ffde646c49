import ObjectStorage
import ServiceModule
import StorageWire

// GET /{bucket}?uploads: the multipart uploads of a bucket that are not completed, by object and id.
//
// They lie by id, those of all buckets side by side, and their number is bounded (`UploadLimits`); a list reads them all.

extension XMLRoutes {
  func listUploads(_ bucket: Bucket, _ request: XMLRequest) async throws -> ServiceResponse {
    let list = try UploadList(request)
    let found = try await uploads(of: bucket, prefix: list.prefix).sorted()
    return .xml(list.element(found, bucket), namespace: Self.namespace)
  }

  private func uploads(of bucket: Bucket, prefix: String) async throws -> [ListedUpload] {
    guard let store = try await existingPartStore() else { return [] }
    var query = ObjectQuery()
    query.prefix = PartStore.markers
    var found: [ListedUpload] = []
    while true {
      let page = try await store.list(query)
      for marker in page.objects {
        guard let target = try await target(of: marker, store), target.bucket == bucket.name
        else { continue }
        let key = target.object.text.string
        guard key.utf8.starts(with: prefix.utf8) else { continue }
        found.append(ListedUpload(key: key, id: PartStore.upload(of: marker), marker: marker))
      }
      guard let next = page.next else { return found }
      query.token = next
    }
  }

  /// Returns an upload's target; nil if it was ended in the meantime.
  private func target(
    of marker: StoredObject,
    _ store: Bucket
  ) async throws -> (bucket: BucketName, object: ObjectName)? {
    do {
      var target: [UInt8] = []
      for try await bytes in try await store.content(of: marker).parts() { target += bytes }
      return try PartStore.target(target)
    } catch let error as StorageError where error.code == .notFound {
      return nil
    }
  }
}

/// An upload of a list; in the order of their objects' names, then of their ids.
private struct ListedUpload: Comparable {
  let key: String
  let id: String
  let marker: StoredObject

  static func < (one: Self, other: Self) -> Bool {
    one.position.lexicographicallyPrecedes(other.position)
  }

  static func == (one: Self, other: Self) -> Bool { one.position == other.position }

  /// No name has a zero byte.
  var position: [UInt8] { UploadList.position(key, id) }

  func element(_ encoding: NameEncoding) -> XMLElement {
    XMLElement(
      "Upload",
      [
        XMLElement("Key", encoding.text(key)), XMLElement("UploadId", id),
        XMLElement("StorageClass", marker.attributes.shownStorageClass.string),
        XMLElement("Initiated", FirebaseMetadata.time(marker.created)),
      ]
    )
  }
}

/// The uploads that a client wants listed: names with a prefix, up to a delimiter, behind a marker.
private struct UploadList {
  let prefix: String
  let delimiter: String
  let keyMarker: String
  let idMarker: String
  let limit: Int
  private let encoding: NameEncoding

  private static let parameters: Set<String> = [
    "uploads", "prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads",
    "encoding-type",
  ]

  init(_ request: XMLRequest) throws(XMLFailure) {
    try request.requireParameters(Self.parameters)
    encoding = try NameEncoding(request)
    prefix = request.parameter("prefix") ?? ""
    delimiter = request.parameter("delimiter") ?? ""
    keyMarker = request.parameter("key-marker") ?? ""
    idMarker = keyMarker.isEmpty ? "" : request.parameter("upload-id-marker") ?? ""
    let wanted = request.parameter("max-uploads") ?? "1000"
    guard let number = Int(wanted), number > 0 else { throw .invalid("max-uploads") }
    limit = min(number, 1_000)
  }

  static func position(_ key: String, _ id: String) -> [UInt8] { key.utf8 + [0] + id.utf8 }

  /// The page of sorted uploads.
  func element(_ uploads: [ListedUpload], _ bucket: Bucket) -> XMLElement {
    let rest = uploads.drop { !isBehindMarker($0) }
    var (page, prefixes) = ([ListedUpload](), [String]())
    var last: ListedUpload?
    var isTruncated = false
    for upload in rest {
      let common = commonPrefix(of: upload.key)
      if common == nil || common != prefixes.last {
        guard page.count + prefixes.count < limit else {
          isTruncated = true
          break
        }
        if let common { prefixes.append(common) } else { page.append(upload) }
      }
      last = upload
    }
    var elements = [
      XMLElement("Bucket", bucket.name.text.string),
      XMLElement("KeyMarker", encoding.text(keyMarker)), XMLElement("UploadIdMarker", idMarker),
      XMLElement("Prefix", encoding.text(prefix)),
      XMLElement("Delimiter", encoding.text(delimiter)), XMLElement("MaxUploads", "\(limit)"),
      XMLElement("IsTruncated", "\(isTruncated)"),
    ]
    elements += encoding.elements
    if isTruncated, let last {
      elements.append(XMLElement("NextKeyMarker", encoding.text(last.key)))
      elements.append(XMLElement("NextUploadIdMarker", last.id))
    }
    elements += page.map { $0.element(encoding) }
    elements += prefixes.map {
      XMLElement("CommonPrefixes", [XMLElement("Prefix", encoding.text($0))])
    }
    return XMLElement("ListMultipartUploadsResult", elements)
  }

  private func isBehindMarker(_ upload: ListedUpload) -> Bool {
    if keyMarker.isEmpty { return true }
    if idMarker.isEmpty { return keyMarker.utf8.lexicographicallyPrecedes(upload.key.utf8) }
    return Self.position(keyMarker, idMarker).lexicographicallyPrecedes(upload.position)
  }

  /// A name up to the delimiter behind the prefix; nil where there is none.
  private func commonPrefix(of key: String) -> String? {
    guard !delimiter.isEmpty else { return nil }
    let (name, delimiter) = (Array(key.utf8), Array(delimiter.utf8))
    var end = prefix.utf8.count + delimiter.count
    while end <= name.count {
      if name[..<end].suffix(delimiter.count).elementsEqual(delimiter) {
        return String(decoding: name[..<end], as: UTF8.self)
      }
      end += 1
    }
    return nil
  }
}
