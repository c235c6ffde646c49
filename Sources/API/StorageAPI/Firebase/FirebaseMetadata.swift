import BaseJSON
import BaseText
import Checksums
import ObjectStorage
import StorageWire

/// An object's metadata in Firebase's format: the fields that clients read, and those that they may
/// set.
enum FirebaseMetadata {
  /// The fields that an owner sets, beside `metadata`.
  private static let settable: [(String, WritableKeyPath<ObjectAttributes, Text?> & Sendable)] = [
    ("contentType", \.contentType), ("cacheControl", \.cacheControl),
    ("contentDisposition", \.contentDisposition), ("contentEncoding", \.contentEncoding),
    ("contentLanguage", \.contentLanguage),
  ]

  /// Reads a body of metadata; an empty one says nothing.
  static func parse(_ bytes: [UInt8]) throws(FirebaseFailure) -> JSONValue {
    if bytes.isEmpty { return .object([]) }
    guard let text = String(validating: bytes, as: UTF8.self),
      let json = try? JSONValue(parsing: text), json.members != nil, json.hasUniqueMembers
    else { throw .badRequest("Invalid JSON in the metadata.") }
    return json
  }

  /// Sets what the JSON says; null takes a field, or a pair of the client's own, away.
  ///
  /// Other fields are the server's and are passed over, as clients send back what they got. Download tokens
  /// are not the client's to set.
  static func apply(
    _ json: JSONValue,
    to attributes: inout ObjectAttributes
  ) throws(FirebaseFailure) {
    for (name, field) in settable {
      switch json[name] {
      case nil: continue
      case .null?: attributes[keyPath: field] = nil
      case .string(let text)?: attributes[keyPath: field] = text.isEmpty ? nil : Text(text)
      default: throw .badRequest("\(name) must be a string.")
      }
    }
    switch json["metadata"] {
    case nil: return
    case .null?:
      attributes.metadata = attributes.metadata.filter { $0.key == ObjectAttributes.tokensKey }
    case .object(let members)?:
      for member in members where Text(member.key) != ObjectAttributes.tokensKey {
        try apply(member, to: &attributes.metadata)
      }
    default: throw .badRequest("metadata must be an object.")
    }
  }

  private static func apply(
    _ member: JSONValue.Member,
    to metadata: inout [Text: Text]
  ) throws(FirebaseFailure) {
    switch member.value {
    case .null: metadata[Text(member.key)] = nil
    case .string(let text): metadata[Text(member.key)] = Text(text)
    case .number(let digits): metadata[Text(member.key)] = Text(digits)
    case .boolean(let flag): metadata[Text(member.key)] = flag ? "true" : "false"
    case .array, .object: throw .badRequest("metadata values must be strings.")
    }
  }

  /// The object as clients read it.
  static func json(_ object: StoredObject) -> JSONValue {
    let attributes = object.attributes
    let own = attributes.metadata.filter { $0.key != ObjectAttributes.tokensKey }
    var members: [(String, String?)] = [
      ("name", object.name.text.string), ("bucket", object.bucket.text.string),
      ("generation", "\(object.generation)"), ("metageneration", "\(object.metageneration)"),
      ("contentType", attributes.contentType?.string ?? "application/octet-stream"),
      ("timeCreated", time(object.created)), ("updated", time(object.updated)),
      ("storageClass", attributes.shownStorageClass.string), ("size", "\(object.size)"),
      ("md5Hash", object.hashes.md5.map { Base64.standard($0) }),
      ("crc32c", Base64.standard(CRC32C.bytes(of: object.hashes.crc32c))),
      ("etag", object.entityTag),
      ("contentEncoding", attributes.contentEncoding?.string ?? "identity"),
      ("contentDisposition", disposition(of: object)),
      ("contentLanguage", attributes.contentLanguage?.string),
      ("cacheControl", attributes.cacheControl?.string),
    ]
    let tokens = attributes.downloadTokens.map(\.string).joined(separator: ",")
    members.append(("downloadTokens", tokens.isEmpty ? nil : tokens))
    var all = members.compactMap { name, value in
      value.map { JSONValue.Member(name, .string($0)) }
    }
    if !own.isEmpty {
      let pairs = own.sorted { $0.key < $1.key }
      all.append(
        .init(
          "metadata",
          .object(pairs.map { .init($0.key.string, .string($0.value.string)) })
        )
      )
    }
    return .object(all)
  }

  /// Returns the stored disposition, or one with the object's own name for saving it.
  static func disposition(of object: StoredObject) -> String {
    if let stored = object.attributes.contentDisposition { return stored.string }
    let file = object.name.text.string.split(separator: "/").last ?? "file"
    return "inline; filename*=utf-8''\(PercentEncoding.encode(String(file)))"
  }

  /// RFC 3339 with milliseconds.
  static func time(_ microseconds: Int64) -> String {
    let seconds = (microseconds - (microseconds % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000
    let millis = (microseconds - seconds * 1_000_000) / 1_000
    let digits = Array(BasicTime(seconds: seconds).text)
    let fraction = String(1_000 + millis).dropFirst()
    return String(digits[0..<4]) + "-" + String(digits[4..<6]) + "-" + String(digits[6..<8]) + "T"
      + String(digits[9..<11]) + ":" + String(digits[11..<13]) + ":" + String(digits[13..<15])
      + "." + fraction + "Z"
  }
}
