import BaseText
import ObjectStorage
import ServiceModule
import StorageWire

// GET /{bucket}?versions: the live objects of a bucket and the generations that it keeps, by name. A version is a generation.
//
// Pages continue behind a name and a version (`key-marker`, `version-id-marker`). There are no
// markers of deletion: the generations of a deleted object are listed, and none of them is the
// latest.

extension XMLRoutes {
  func listVersions(_ bucket: Bucket, _ request: XMLRequest) async throws -> ServiceResponse {
    let list = try VersionList(request)
    let page = list.query.limit == 0 ? ObjectPage() : try await bucket.list(list.query)
    return .xml(list.element(page, bucket), namespace: Self.namespace)
  }
}

/// A client's wish for a page of versions.
private struct VersionList {
  var query = ObjectQuery()
  private let markers: [XMLElement]
  private let encoding: NameEncoding

  private static let parameters: Set<String> = [
    "versions", "prefix", "delimiter", "max-keys", "key-marker", "version-id-marker",
    "encoding-type",
  ]

  init(_ request: XMLRequest) throws {
    try request.requireParameters(Self.parameters)
    encoding = try NameEncoding(request)
    query.versions = .all
    query.prefix = Text(request.parameter("prefix") ?? "")
    if let delimiter = request.parameter("delimiter"), !delimiter.isEmpty {
      query.delimiter = Text(delimiter)
    }
    if let text = request.parameter("max-keys") {
      guard let number = Int(text), number >= 0 else { throw XMLFailure.invalid("max-keys") }
      query.limit = min(number, 1_000)
    }
    let name = request.parameter("key-marker") ?? ""
    let version = request.parameter("version-id-marker") ?? ""
    markers = [
      XMLElement("KeyMarker", encoding.text(name)), XMLElement("VersionIdMarker", version),
    ]
    guard !name.isEmpty else { return }
    query.token = ObjectPageToken(behind: Text(name), query)
    guard !version.isEmpty else { return }
    guard let generation = Int64(version) else { throw XMLFailure.invalid("version-id-marker") }
    query.token = ObjectPageToken(behind: Text(name), generation: generation)
  }

  func element(_ page: ObjectPage, _ bucket: Bucket) -> XMLElement {
    var elements = [
      XMLElement("Name", bucket.name.text.string),
      XMLElement("Prefix", encoding.text(query.prefix)),
    ]
    elements += markers
    elements += [
      XMLElement("MaxKeys", "\(query.limit)"),
      XMLElement("IsTruncated", page.next == nil ? "false" : "true"),
    ]
    elements += encoding.elements
    if let delimiter = query.delimiter {
      elements.append(XMLElement("Delimiter", encoding.text(delimiter)))
    }
    if let next = page.next {
      elements.append(XMLElement("NextKeyMarker", encoding.text(next.name)))
      if let generation = next.generation {
        elements.append(XMLElement("NextVersionIdMarker", "\(generation)"))
      }
    }
    elements += page.objects.map { version($0, bucket) }
    elements += page.prefixes.map {
      XMLElement("CommonPrefixes", [XMLElement("Prefix", encoding.text($0))])
    }
    return XMLElement("ListVersionsResult", elements)
  }

  private func version(_ object: StoredObject, _ bucket: Bucket) -> XMLElement {
    XMLElement(
      "Version",
      [
        XMLElement("Key", encoding.text(object.name.text)),
        XMLElement("VersionId", "\(object.generation)"),
        XMLElement("IsLatest", object.isLive ? "true" : "false"),
        XMLElement("LastModified", FirebaseMetadata.time(object.updated)),
        XMLElement("ETag", "\"\(object.contentTag)\""), XMLElement("Size", "\(object.size)"),
        XMLElement("StorageClass", object.attributes.shownStorageClass.string),
        XMLRoutes.owner(bucket.stored.project),
      ]
    )
  }
}
