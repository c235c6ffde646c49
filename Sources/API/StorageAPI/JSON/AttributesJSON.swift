import BaseJSON
import BaseText
import FirestoreWire
import ObjectStorage

/// The attributes of an object in a client's JSON.
struct AttributesJSON {
  /// Members that the server sets: clients send them back as they got them.
  private static let ignored: Set<String> = [
    "kind", "id", "selfLink", "mediaLink", "bucket", "generation", "metageneration", "size",
    "timeCreated", "updated", "timeDeleted", "timeFinalized", "timeStorageClassUpdated", "etag",
    "owner", "componentCount", "retentionExpirationTime", "softDeleteTime", "hardDeleteTime",
  ]

  /// Sets what the members say; null sets it back.
  private typealias Change = @Sendable (inout ObjectAttributes) -> Void

  let name: String?
  let expected: ExpectedContent
  /// True if the JSON sets nothing that a copy would not take from its source.
  let isEmpty: Bool
  private let changes: [Change]

  init(_ json: JSONValue) throws {
    var reading = try JSONReading(json)
    reading.ignore(Self.ignored)
    try AccessLists.check("acl", reading.take("acl"))
    name = try reading.text("name")?.string
    expected = ExpectedContent(
      crc32c: try Self.crc32c(try reading.text("crc32c")),
      md5: try Self.md5(try reading.text("md5Hash"))
    )
    var changes: [Change] = []
    try Self.readHeaders(&reading, &changes)
    try Self.readRest(&reading, &changes)
    try reading.end()
    self.changes = changes
    isEmpty = changes.isEmpty
  }

  /// Changes attributes like a PATCH: attributes that are not named stay.
  func apply(to attributes: inout ObjectAttributes) {
    for change in changes { change(&attributes) }
  }

  /// The attributes of a new object.
  var attributes: ObjectAttributes {
    var attributes = ObjectAttributes()
    apply(to: &attributes)
    return attributes
  }

  private static func readHeaders(
    _ reading: inout JSONReading,
    _ changes: inout [Change]
  ) throws {
    let headers: [(String, WritableKeyPath<ObjectAttributes, Text?> & Sendable)] = [
      ("contentType", \.contentType), ("cacheControl", \.cacheControl),
      ("contentDisposition", \.contentDisposition), ("contentEncoding", \.contentEncoding),
      ("contentLanguage", \.contentLanguage),
    ]
    for (name, path) in headers {
      guard let value = reading.take(name) else { continue }
      switch value {
      case .null: changes.append { $0[keyPath: path] = nil }
      case .string(let text): changes.append { $0[keyPath: path] = text.isEmpty ? nil : Text(text) }
      default: throw JSONReading.invalid(name)
      }
    }
  }

  private static func readRest(
    _ reading: inout JSONReading,
    _ changes: inout [Change]
  ) throws {
    if let storageClass = try reading.text("storageClass") {
      try checkStorageClass(storageClass)
      changes.append { $0.storageClass = storageClass }
    }
    switch reading.take("customTime") {
    case nil: break
    case .null?:
      changes.append { attributes in (attributes.customTime, attributes.customTimeNanos) = (nil, 0)
      }
    case .string(let text)?:
      var parsed = ObjectAttributes()
      guard parsed.setCustomTime(text) else { throw JSONReading.invalid("customTime") }
      let (time, nanos) = (parsed.customTime, parsed.customTimeNanos)
      changes.append { attributes in
        (attributes.customTime, attributes.customTimeNanos) = (time, nanos)
      }
    default: throw JSONReading.invalid("customTime")
    }
    for (name, path) in [
      ("temporaryHold", \ObjectAttributes.isHeld as WritableKeyPath & Sendable),
      ("eventBasedHold", \.isHeldForEvent),
    ] {
      guard let value = reading.take(name) else { continue }
      switch value {
      case .null: changes.append { $0[keyPath: path] = false }
      case .boolean(let flag): changes.append { $0[keyPath: path] = flag }
      default: throw JSONReading.invalid(name)
      }
    }
    if let metadata = reading.take("metadata") { changes.append(try change(of: metadata)) }
  }

  private static func change(of metadata: JSONValue) throws -> Change {
    switch metadata {
    case .null: return { $0.metadata = [:] }
    case .object(let members):
      var pairs: [(Text, Text?)] = []
      for member in members {
        switch member.value {
        case .null: pairs.append((Text(member.key), nil))
        case .string(let text): pairs.append((Text(member.key), Text(text)))
        default: throw JSONReading.invalid("metadata.\(member.key.prefix(100))")
        }
      }
      let changed = pairs
      return { attributes in
        for (key, value) in changed { attributes.metadata[key] = value }
      }
    default: throw JSONReading.invalid("metadata")
    }
  }

  /// The classes that there are names for; all are stored alike.
  static func checkStorageClass(_ name: Text) throws(StorageError) {
    let names: Set<Text> = [
      "STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL",
      "DURABLE_REDUCED_AVAILABILITY",
    ]
    guard names.contains(name) else {
      throw StorageError(.invalid, "Invalid storage class: \(name.string.prefix(100))")
    }
  }

  private static func crc32c(_ text: Text?) throws(StorageError) -> UInt32? {
    guard let text else { return nil }
    guard let bytes = Base64.decode(text.string), bytes.count == 4 else {
      throw JSONReading.invalid("crc32c")
    }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func md5(_ text: Text?) throws(StorageError) -> [UInt8]? {
    guard let text else { return nil }
    guard let bytes = Base64.decode(text.string), bytes.count == 16 else {
      throw JSONReading.invalid("md5Hash")
    }
    return bytes
  }

  /// Reads a header `x-goog-hash`: `crc32c=…,md5=…`.
  static func expected(header: String?) throws(StorageError) -> ExpectedContent {
    var expected = ExpectedContent()
    for part in (header ?? "").split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2 else { throw JSONReading.invalid("x-goog-hash") }
      let value = Text(String(halves[1]))
      switch halves[0].drop(while: { $0 == " " }) {
      case "crc32c": expected.crc32c = try crc32c(value)
      case "md5": expected.md5 = try md5(value)
      default: throw JSONReading.invalid("x-goog-hash")
      }
    }
    return expected
  }
}

extension ObjectAttributes {
  /// The custom time as text; nil where there is none.
  var customTimeText: String? {
    customTime.map { JSONValue.timeText($0, nanos: customTimeNanos) }
  }

  /// Sets the custom time by a text of RFC 3339; false for any other text.
  mutating func setCustomTime(_ text: String) -> Bool {
    guard let time = TimestampText.parse(text.uppercased()) else { return false }
    customTime = time.seconds * 1_000_000 + Int64(time.nanos) / 1_000
    customTimeNanos = Int64(time.nanos) % 1_000
    return true
  }
}
