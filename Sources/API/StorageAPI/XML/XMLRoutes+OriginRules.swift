import FirestoreModel
import FirestoreWire
import ObjectStorage
import ServiceModule
import StorageWire

// A bucket's configuration of origins as XML:
//
//     CorsConfig
//       Cors                              any number
//         Origins/Origin, Methods/Method, ResponseHeaders/ResponseHeader      any number each
//         MaxAgeSec

extension XMLRoutes {
  /// What is configured of the origins of pages.
  func showOriginRules(_ bucket: Bucket) throws -> ServiceResponse {
    let document = bucket.stored.configuration.documents[Text(CrossOriginRule.member)]
    let json = try document.map { try JSONParser.parse(Array($0.string.utf8)) } ?? .null
    return .xml(XMLElement("CorsConfig", try CrossOriginRule.rules(json).map(\.element)))
  }

  /// Sets a bucket's configuration, of which the XML API has that of origins alone.
  func configure(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, _) = try await bucket(request)
    try request.requireParameters(["cors"])
    guard request.parameter("cors") != nil else { throw XMLFailure.notImplemented }
    try request.base.headers.refuseConditions(isReading: false)
    let body = try XMLReader.read(try await request.signedText(upTo: 256 << 10))
    guard body.name == "CorsConfig" else { throw XMLFailure.malformed }
    let rules = JSONValue.array(try body.all("Cors").map(CrossOriginRule.json(element:)))
    let change = try BucketChange(
      .object([JSONValue.Member(name: CrossOriginRule.member, value: rules)])
    )
    _ = try await bucket.update { change.apply(to: &$0) }
    return ServiceResponse()
  }
}

extension CrossOriginRule {
  private static let lists = [
    ("origin", "Origins", "Origin"), ("method", "Methods", "Method"),
    ("responseHeader", "ResponseHeaders", "ResponseHeader"),
  ]

  /// An entry as the JSON API has it, which judges it.
  fileprivate static func json(element: XMLElement) throws(XMLFailure) -> JSONValue {
    var members: [JSONValue.Member] = []
    for (member, list, item) in lists {
      guard let found = element[list] else { continue }
      let texts = found.all(item).map { JSONValue.string($0.text) }
      members.append(JSONValue.Member(name: member, value: .array(texts)))
    }
    if let age = element["MaxAgeSec"]?.text {
      guard let seconds = Int64(age) else { throw .malformed }
      members.append(JSONValue.Member(name: "maxAgeSeconds", value: .number("\(seconds)")))
    }
    return .object(members)
  }

  fileprivate var element: XMLElement {
    let texts = [origins, methods, headers]
    var children = zip(Self.lists, texts).compactMap { names, texts in
      texts.isEmpty ? nil : XMLElement(names.1, texts.map { XMLElement(names.2, $0) })
    }
    children.append(XMLElement("MaxAgeSec", "\(maxAge)"))
    return XMLElement("Cors", children)
  }
}
