import BaseJSON
import BaseText
import Checksums
import FirestoreWire
import ObjectStorage

extension StoredBucket {
  /// The bucket as Google's JSON API shows it.
  func json(origin: String) -> JSONValue {
    let name = name.text.string
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("kind", .string("storage#bucket"))
    add("id", .string(name))
    add("name", .string(name))
    add("selfLink", .string("\(origin)/storage/v1/b/\(name)"))
    add("projectNumber", .string("\(Self.number(ofProject: project))"))
    add("generation", .integer(created))
    add("metageneration", .integer(metageneration))
    add("locationType", .string("region"))
    add("etag", .string(entityTag))
    add("timeCreated", .time(created))
    add("updated", .time(updated))
    return .object(members + configuration.members(since: created))
  }

  /// A number for a project, which has none here: the same for the same name.
  static func number(ofProject project: Text) -> UInt32 {
    var crc = CRC32C()
    crc.update(Array(project.string.utf8))
    return crc.value
  }
}

extension BucketConfiguration {
  /// Returns a bucket's settings, as Google's JSON API shows and takes them.
  ///
  /// - Parameter time: When the bucket was made; nil leaves it out.
  func members(since time: Int64?) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("location", .text(location))
    add("storageClass", .text(storageClass))
    if isVersioned { add("versioning", .object(["enabled": .boolean(true)])) }
    var policy: [JSONValue.Member] = [
      JSONValue.Member("retentionDurationSeconds", .integer(softDeleteSeconds))
    ]
    if let time { policy.append(JSONValue.Member("effectiveTime", .time(time))) }
    add("softDeletePolicy", .object(policy))
    if !lifecycle.isEmpty {
      add("lifecycle", .object(["rule": .array(lifecycle.map(\.json))]))
    }
    let prevention = documents[BucketChange.preventionKey]?.string
    add(
      "iamConfiguration",
      .object([
        // Rights are the rules' and the service accounts', for whole buckets alike.
        "uniformBucketLevelAccess": .object(["enabled": .boolean(true)]),
        "publicAccessPrevention": .string(prevention ?? "inherited"),
      ])
    )
    for (key, text) in documents.sorted(by: { $0.key < $1.key }) where !key.string.contains(".") {
      add(key.string, try? JSONParser.parse(Array(text.string.utf8)))
    }
    return members
  }

  /// The same as a value.
  var json: JSONValue { .object(members(since: nil)) }
}

/// The settings of a bucket in a client's JSON.
struct BucketChange: Sendable {
  /// Members that the server sets, or whose only value is its own.
  private static let ignored: Set<String> = [
    "kind", "id", "selfLink", "projectNumber", "generation", "metageneration", "timeCreated",
    "updated", "etag", "owner", "locationType", "satisfiesPZS", "satisfiesPZI", "softDeleteTime",
    "hardDeleteTime",
  ]
  /// The members that are kept as they came, for clients that read them back.
  private static let documents = [CORSRule.member, "labels", "website", "billing", "rpo"]

  let name: String?
  private let changes: [@Sendable (inout BucketConfiguration) -> Void]

  init(_ json: JSONValue) throws {
    var reading = try JSONReading(json)
    reading.ignore(Self.ignored)
    name = try reading.text("name")?.string
    var changes: [@Sendable (inout BucketConfiguration) -> Void] = []
    if let location = try reading.text("location") { changes.append { $0.location = location } }
    if let storageClass = try reading.text("storageClass") {
      try AttributesJSON.checkStorageClass(storageClass)
      changes.append { $0.storageClass = storageClass }
    }
    if let value = reading.take("versioning") {
      var versioning = try Self.members(value)
      let isEnabled = try versioning.flag("enabled") ?? false
      changes.append { $0.isVersioned = isEnabled }
    }
    if let value = reading.take("softDeletePolicy") {
      var policy = try Self.members(value)
      let seconds = try policy.integer("retentionDurationSeconds") ?? 0
      changes.append { $0.softDeleteSeconds = seconds }
    }
    if let value = reading.take("lifecycle") {
      let rules = try LifecycleRule.rules(value)
      changes.append { $0.lifecycle = rules }
    }
    for name in Self.absent { try Self.requireOff(name, reading.take(name)) }
    for list in ["acl", "defaultObjectAcl"] { try AccessLists.check(list, reading.take(list)) }
    if let value = reading.take("iamConfiguration") {
      let prevention = try Self.publicAccessPrevention(value)
      if let prevention { changes.append { $0.documents[Self.preventionKey] = prevention } }
    }
    for name in Self.documents {
      guard let value = reading.take(name) else { continue }
      if name == CORSRule.member { _ = try CORSRule.rules(value) }
      if name == "rpo" { try Self.checkRecoveryPoint(value) }
      changes.append { Self.set(name, value, &$0) }
    }
    try reading.end()
    self.changes = changes
  }

  func apply(to configuration: inout BucketConfiguration) {
    for change in changes { change(&configuration) }
  }

  private static func members(_ value: JSONValue) throws(StorageError) -> JSONReading {
    try JSONReading(value == .null ? .object([JSONValue.Member]()) : value)
  }

  /// Settings that do not exist here; clients say of some of them that they are off.
  private static let absent = [
    "autoclass", "customPlacementConfig", "defaultEventBasedHold", "encryption",
    "hierarchicalNamespace", "ipFilter", "logging", "objectRetention", "retentionPolicy",
  ]

  /// Throws where something is wanted that does not exist here.
  private static func requireOff(_ name: String, _ value: JSONValue?) throws(StorageError) {
    switch value {
    case nil, .null?, .boolean(false)?: return
    case .object(let members)?
    where members.allSatisfy({ $0.key == "enabled" && $0.value == .boolean(false) }):
      return
    default: throw StorageError(.unsupported, "\(name) is not supported.")
    }
  }

  /// Names the document with the word of public access prevention; documents that are members have no point in their names.
  fileprivate static let preventionKey: Text = "iamConfiguration.publicAccessPrevention"

  /// The word for public access prevention; nil where the client says none.
  ///
  /// Access is uniform; a client may say so. No list or access policy makes anything public here,
  /// with any word.
  private static func publicAccessPrevention(_ value: JSONValue) throws(StorageError) -> Text? {
    var access = try members(value)
    for name in ["uniformBucketLevelAccess", "bucketPolicyOnly"] {
      guard let uniform = access.take(name) else { continue }
      var setting = try members(uniform)
      setting.ignore(["lockedTime"])
      guard try setting.flag("enabled") ?? true else {
        throw StorageError(
          .unsupported,
          "Access control lists of single objects are not supported."
        )
      }
      try setting.end()
    }
    let prevention = try access.text("publicAccessPrevention")
    try access.end()
    switch prevention {
    case nil, "enforced", "inherited": return prevention
    // An older word for it.
    case "unspecified": return "inherited"
    default: throw JSONReading.invalid("iamConfiguration.publicAccessPrevention")
    }
  }

  /// Throws for any value that is not a recovery point objective; the word is stored, like storage
  /// classes.
  private static func checkRecoveryPoint(_ value: JSONValue) throws(StorageError) {
    switch value {
    case .null, .string("DEFAULT"), .string("ASYNC_TURBO"): return
    default: throw JSONReading.invalid("rpo")
    }
  }

  /// Keeps a document; maps of labels are merged, as a PATCH does.
  private static func set(
    _ name: String,
    _ value: JSONValue,
    _ configuration: inout BucketConfiguration
  ) {
    let key = Text(name)
    guard value != .null else {
      configuration.documents[key] = nil
      return
    }
    var merged = value
    if case .object(let members) = value {
      var all =
        configuration.documents[key].flatMap { text -> [JSONValue.Member]? in
          guard case .object(let members)? = try? JSONParser.parse(Array(text.string.utf8))
          else { return nil }
          return members
        } ?? []
      for member in members {
        all.removeAll { $0.key == member.key }
        if member.value != .null { all.append(member) }
      }
      merged = .object(all)
    }
    configuration.documents[key] = Text(String(decoding: merged.compactBytes, as: UTF8.self))
  }
}

extension LifecycleRule {
  /// The rule as Google's JSON API shows it.
  fileprivate var json: JSONValue {
    var condition: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { condition.append(JSONValue.Member(name, value)) }
    }
    add("age", age.map { .number("\($0)") })
    add(
      "createdBefore",
      createdBefore.map { .string(String(JSONValue.timeText($0, nanos: 0).prefix(10))) }
    )
    add("isLive", isLive.map(JSONValue.boolean))
    add("numNewerVersions", newerVersions.map { .number("\($0)") })
    add("daysSinceNoncurrentTime", noncurrentDays.map { .number("\($0)") })
    add("daysSinceCustomTime", customDays.map { .number("\($0)") })
    add("matchesPrefix", prefixes.isEmpty ? nil : .array(prefixes.map(JSONValue.text)))
    add("matchesSuffix", suffixes.isEmpty ? nil : .array(suffixes.map(JSONValue.text)))
    let type = action == .delete ? "Delete" : "AbortIncompleteMultipartUpload"
    return .object([
      "action": .object(["type": .string(type)]), "condition": .object(condition),
    ])
  }

  /// The rules of a member `lifecycle`; null is none.
  fileprivate static func rules(_ value: JSONValue) throws -> [LifecycleRule] {
    guard value != .null else { return [] }
    var reading = try JSONReading(value)
    guard let list = reading.take("rule"), list != .null else { return [] }
    guard case .array(let rules) = list else { throw JSONReading.invalid("lifecycle.rule") }
    try reading.end()
    return try rules.map { try LifecycleRule($0) }
  }

  private init(_ value: JSONValue) throws {
    var reading = try JSONReading(value)
    guard let actionValue = reading.take("action"), let conditionValue = reading.take("condition")
    else { throw JSONReading.invalid("lifecycle.rule") }
    var action = try JSONReading(actionValue)
    switch try action.text("type") {
    case "Delete": self.init(.delete)
    case "AbortIncompleteMultipartUpload": self.init(.abortUpload)
    default:
      throw StorageError(.unsupported, "Lifecycle rules can only delete objects or abort uploads.")
    }
    var condition = try JSONReading(conditionValue)
    age = try condition.integer("age")
    if let date = try condition.text("createdBefore") {
      guard let time = TimestampText.parse(date.string + "T00:00:00Z") else {
        throw JSONReading.invalid("createdBefore")
      }
      createdBefore = time.seconds * 1_000_000
    }
    isLive = try condition.flag("isLive")
    newerVersions = try condition.integer("numNewerVersions")
    noncurrentDays = try condition.integer("daysSinceNoncurrentTime")
    customDays = try condition.integer("daysSinceCustomTime")
    prefixes = try condition.texts("matchesPrefix") ?? []
    suffixes = try condition.texts("matchesSuffix") ?? []
    try condition.end()
    try reading.end()
    let isOfObjects = createdBefore ?? newerVersions ?? noncurrentDays ?? customDays
    guard self.action == .delete || (isOfObjects == nil && isLive == nil) else {
      throw StorageError(
        .invalid,
        "AbortIncompleteMultipartUpload accepts only age, matchesPrefix and matchesSuffix."
      )
    }
  }
}
