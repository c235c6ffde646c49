import BaseText
import ObjectStorage
import ServiceModule
import StorageWire

// GET /{bucket}: the objects of a bucket, in both versions of S3's list. Pages of version 1
// continue behind a name (`marker`), those of version 2 at a token (`list-type=2`). With the name
// of a setting among the parameters it is that which is shown.

extension XMLRoutes {
  func list(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, signature) = try await bucket(request)
    if request.parameter("cors") != nil {
      try request.requireParameters(["cors"])
      let isOfAmazon = signature?.dialect == .amazon
      return try showOriginRules(bucket, isOfAmazon: isOfAmazon)
    }
    if request.parameter("uploads") != nil { return try await listUploads(bucket, request) }
    if request.parameter("versions") != nil { return try await listVersions(bucket, request) }
    for (name, value) in request.parameters where value.isEmpty {
      guard let setting = try setting(name, bucket) else { continue }
      try request.requireParameters([name])
      return setting
    }
    let list = try ObjectList(request)
    let page = list.query.limit == 0 ? ObjectPage() : try await bucket.list(list.query)
    return .xml(list.element(page, bucket), namespace: Self.namespace)
  }
}

/// The objects of a bucket that a client wants listed.
private struct ObjectList {
  var query = ObjectQuery()
  private let isSecondVersion: Bool
  /// The client's beginning of the list, under the name of its element.
  private let beginning: [(element: String, text: String)]
  private let showsOwner: Bool
  private let encoding: NameEncoding

  private static let parameters: Set<String> = [
    "prefix", "delimiter", "max-keys", "continuation-token", "marker", "start-after", "list-type",
    "encoding-type", "fetch-owner",
  ]

  init(_ request: XMLRequest) throws {
    try request.requireParameters(Self.parameters)
    guard ["1", "2"].contains(request.parameter("list-type") ?? "1") else {
      throw XMLFailure.invalid("list-type")
    }
    isSecondVersion = request.parameter("list-type") == "2"
    showsOwner = !isSecondVersion || request.parameter("fetch-owner") == "true"
    encoding = try NameEncoding(request)
    let parameters =
      isSecondVersion
      ? [("ContinuationToken", "continuation-token"), ("StartAfter", "start-after")]
      : [("Marker", "marker")]
    beginning = parameters.compactMap { element, name in
      request.parameter(name).map { (element, $0) }
    }
    query.prefix = Text(request.parameter("prefix") ?? "")
    if let delimiter = request.parameter("delimiter"), !delimiter.isEmpty {
      query.delimiter = Text(delimiter)
    }
    if let text = request.parameter("max-keys") {
      guard let number = Int(text), number >= 0 else { throw XMLFailure.invalid("max-keys") }
      query.limit = min(number, 1_000)
    }
    if let token = request.parameter("continuation-token"), !token.isEmpty {
      query.token = try ObjectPageToken(token)
    } else if let name = request.parameter("marker") ?? request.parameter("start-after"),
      !name.isEmpty
    {
      query.token = ObjectPageToken(behind: Text(name), query)
    }
  }

  func element(_ page: ObjectPage, _ bucket: Bucket) -> XMLElement {
    var elements = [
      XMLElement("Name", bucket.name.text.string),
      XMLElement("Prefix", encoding.text(query.prefix)),
      XMLElement("MaxKeys", "\(query.limit)"),
      XMLElement("IsTruncated", page.next == nil ? "false" : "true"),
    ]
    elements += encoding.elements
    if isSecondVersion {
      let count = page.objects.count + page.prefixes.count
      elements.append(XMLElement("KeyCount", "\(count)"))
    }
    elements += beginning.map { element, text in
      XMLElement(element, element == "ContinuationToken" ? text : encoding.text(text))
    }
    if let delimiter = query.delimiter {
      elements.append(XMLElement("Delimiter", encoding.text(delimiter)))
    }
    if let next = page.next {
      elements.append(
        isSecondVersion
          ? XMLElement("NextContinuationToken", next.text)
          : XMLElement("NextMarker", encoding.text(next.name))
      )
    }
    elements += page.objects.map { object in
      XMLElement(
        "Contents",
        [
          XMLElement("Key", encoding.text(object.name.text)),
          XMLElement("Generation", "\(object.generation)"),
          XMLElement("MetaGeneration", "\(object.metageneration)"),
          XMLElement("LastModified", FirebaseMetadata.time(object.updated)),
          XMLElement("ETag", "\"\(object.contentTag)\""), XMLElement("Size", "\(object.size)"),
          XMLElement("StorageClass", object.attributes.shownStorageClass.string),
        ] + (showsOwner ? [XMLRoutes.owner(bucket.stored.project)] : [])
      )
    }
    elements += page.prefixes.map {
      XMLElement("CommonPrefixes", [XMLElement("Prefix", encoding.text($0))])
    }
    return XMLElement("ListBucketResult", elements)
  }
}

/// The encoding of names in a list: as they are, or percent-encoded where a client asks for it
/// (`encoding-type=url`), since XML has no form for some characters.
struct NameEncoding {
  private let isURL: Bool

  init(_ request: XMLRequest) throws(XMLFailure) {
    switch request.parameter("encoding-type") {
    case nil, "": isURL = false
    case "url": isURL = true
    default: throw .invalid("encoding-type")
    }
  }

  func text(_ name: Text) -> String { text(name.string) }

  func text(_ name: String) -> String { isURL ? PercentEncoding.encode(name) : name }

  /// Says in a list that its names are encoded.
  var elements: [XMLElement] { isURL ? [XMLElement("EncodingType", "url")] : [] }
}
