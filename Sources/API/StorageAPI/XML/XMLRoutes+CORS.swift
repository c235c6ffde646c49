import BaseJSON
import BaseText
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
  /// Shows the configuration of the origins of pages, in the words of the request's signer.
  func showOriginRules(_ bucket: Bucket, isOfAmazon: Bool) throws -> ServiceResponse {
    let document = bucket.stored.configuration.documents[Text(CORSRule.member)]
    let json = try document.map { try JSONParser.parse(Array($0.string.utf8)) } ?? .null
    let rules = try CORSRule.rules(json)
    guard isOfAmazon else { return .xml(XMLElement("CorsConfig", rules.map(\.element))) }
    guard !rules.isEmpty else {
      throw XMLFailure(404, "NoSuchCORSConfiguration", "The CORS configuration does not exist.")
    }
    return .xml(XMLElement("CORSConfiguration", rules.map(\.s3)), namespace: Self.namespace)
  }

  /// Takes the configuration of origins away.
  func clearOriginRules(_ bucket: Bucket) async throws -> ServiceResponse {
    _ = try await bucket.update { $0.documents[Text(CORSRule.member)] = nil }
    return ServiceResponse(status: .noContent)
  }

  /// Sets which origins' pages may do what, in Google's form or in that of S3.
  func setOriginRules(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, signature) = try await bucket(request)
    try request.base.headers.refuseConditions(isReading: false)
    let body = try XMLReader.read(try await request.signedText(upTo: 256 << 10, signature))
    let rules: [JSONValue]
    switch body.name {
    case "CorsConfig": rules = try body.all("Cors").map(CORSRule.json(element:))
    case "CORSConfiguration": rules = try body.all("CORSRule").map(CORSRule.json(s3:))
    default: throw XMLFailure.malformed
    }
    let change = try BucketChange(
      .object([JSONValue.Member(CORSRule.member, .array(rules))])
    )
    _ = try await bucket.update { change.apply(to: &$0) }
    return ServiceResponse()
  }
}

extension CORSRule {
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
      members.append(JSONValue.Member(member, .array(texts)))
    }
    if let age = element["MaxAgeSec"]?.text {
      guard let seconds = Int64(age) else { throw .malformed }
      members.append(JSONValue.Member("maxAgeSeconds", .number("\(seconds)")))
    }
    return .object(members)
  }

  private static let s3Lists = [
    ("origin", "AllowedOrigin"), ("method", "AllowedMethod"), ("responseHeader", "ExposeHeader"),
  ]

  /// An entry of S3's form as the JSON API has it.
  ///
  /// The JSON API has one list for the headers that pages may send and for those that they may read.
  fileprivate static func json(s3 element: XMLElement) throws(XMLFailure) -> JSONValue {
    var members: [JSONValue.Member] = []
    for (member, name) in s3Lists {
      var texts = element.all(name).map(\.text)
      if name == "ExposeHeader" {
        texts += element.all("AllowedHeader").map(\.text).filter { !texts.contains($0) }
      }
      guard !texts.isEmpty else { continue }
      if member == "origin", texts.contains(where: { $0 != "*" && $0.contains("*") }) {
        throw .unsupported("AllowedOrigin with a wildcard inside")
      }
      members.append(JSONValue.Member(member, .array(texts.map(JSONValue.string))))
    }
    if let age = element["MaxAgeSeconds"]?.text {
      guard let seconds = Int64(age) else { throw .malformed }
      members.append(JSONValue.Member("maxAgeSeconds", .number("\(seconds)")))
    }
    return .object(members)
  }

  /// The entry in the form of S3.
  fileprivate var s3: XMLElement {
    let fields = [
      ("AllowedOrigin", origins), ("AllowedMethod", methods), ("AllowedHeader", headers),
      ("ExposeHeader", headers),
    ]
    var children = fields.flatMap { name, texts in texts.map { XMLElement(name, $0) } }
    children.append(XMLElement("MaxAgeSeconds", "\(maxAge)"))
    return XMLElement("CORSRule", children)
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
