import BaseJSON
import BaseStatus
import ObjectStorage

/// A bucket as a line of an export: its name, and its settings as the JSON API shows them.
struct BucketLine {
  let name: String
  /// Nil leaves a bucket that is there as it is.
  let configuration: BucketConfiguration?

  init(_ bucket: StoredBucket) {
    name = bucket.name.text.string
    configuration = bucket.configuration
  }

  fileprivate init(_ reading: inout JSONReading) throws {
    guard let name = try reading.text("bucket") else { throw JSONReading.invalid("bucket") }
    self.name = name.string
    guard let settings = reading.take("settings") else {
      configuration = nil
      return
    }
    var configuration = BucketConfiguration()
    try BucketChange(settings).apply(to: &configuration)
    configuration.quotaBytes = try reading.integer("quotaBytes")
    self.configuration = configuration
  }

  /// The line.
  var json: [UInt8] {
    var members = [JSONValue.Member("bucket", .string(name))]
    if let configuration { members.append(JSONValue.Member("settings", configuration.json)) }
    if let quota = configuration?.quotaBytes {
      members.append(JSONValue.Member("quotaBytes", .integer(quota)))
    }
    return JSONValue.object(members).compactBytes
  }
}

/// A generation of an object as a line of an export: the object as the JSON API shows it, and what that leaves out.
struct ObjectLine {
  let bucket: String
  /// The name of its bytes in the export.
  let content: String
  /// True if other objects may have the same content.
  let isShared: Bool
  let object: ImportedObject
  private let metadata: JSONValue

  init(_ stored: StoredObject, isShared: Bool) {
    bucket = stored.bucket.text.string
    content = stored.blob.description
    self.isShared = isShared
    object = ImportedObject(
      stored.name,
      generation: stored.generation,
      metageneration: stored.metageneration,
      attributes: stored.attributes,
      hashes: stored.hashes,
      componentCount: stored.componentCount,
      created: stored.created,
      updated: stored.updated,
      state: stored.state
    )
    metadata = stored.json(origin: "")
  }

  fileprivate init(_ reading: inout JSONReading) throws {
    guard let metadata = reading.take("object"), let content = try reading.text("content"),
      let created = try reading.integer("created"), let updated = try reading.integer("updated")
    else { throw JSONReading.invalid("object") }
    self.metadata = metadata
    self.content = content.string
    isShared = try reading.flag("isShared") ?? false
    let attributes = try AttributesJSON(metadata)
    var facts = try JSONReading(metadata)
    guard let bucket = try facts.text("bucket"), let name = attributes.name,
      let generation = try facts.integer("generation"), let size = try facts.integer("size"),
      let metageneration = try facts.integer("metageneration"),
      let crc32c = attributes.expected.crc32c, size >= 0, generation > 0
    else { throw JSONReading.invalid("object") }
    self.bucket = bucket.string
    object = ImportedObject(
      try ObjectName(name),
      generation: generation,
      metageneration: metageneration,
      attributes: attributes.attributes,
      hashes: ContentHashes(
        size: size,
        crc32c: crc32c,
        md5: attributes.expected.md5,
        partsTag: try reading.text("partsTag")?.string
      ),
      componentCount: try facts.integer("componentCount").map(Int.init),
      created: created,
      updated: updated,
      state: try Self.state(&reading)
    )
  }

  private static func state(_ reading: inout JSONReading) throws -> StoredObject.State {
    if let since = try reading.integer("noncurrentSince") { return .noncurrent(since: since) }
    guard let time = try reading.integer("deletedAt") else { return .live }
    return .softDeleted(at: time, until: try reading.integer("restorableUntil") ?? time)
  }

  /// The line.
  var json: [UInt8] {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue) {
      members.append(JSONValue.Member(name, value))
    }
    add("object", metadata)
    add("content", .string(content))
    if isShared { add("isShared", .boolean(true)) }
    if let tag = object.hashes.partsTag { add("partsTag", .string(tag)) }
    // The JSON API shows milliseconds.
    add("created", .integer(object.created))
    add("updated", .integer(object.updated))
    switch object.state {
    case .live: break
    case .noncurrent(let since): add("noncurrentSince", .integer(since))
    case .softDeleted(let time, let end):
      add("deletedAt", .integer(time))
      add("restorableUntil", .integer(end))
    }
    return JSONValue.object(members).compactBytes
  }
}

/// A line of an export of files.
enum TransferLine {
  case bucket(BucketLine)
  case object(ObjectLine)

  /// Reads a line; throws for any other input.
  init(_ json: [UInt8]) throws(ServiceError) {
    let value = try JSONParser.parse(json)
    do {
      var reading = try JSONReading(value)
      if case .object(let members) = value, members.contains(where: { $0.key == "bucket" }) {
        self = .bucket(try BucketLine(&reading))
      } else {
        self = .object(try ObjectLine(&reading))
      }
    } catch let error as StorageError {
      throw .invalidArgument("A line of the files: \(error.message)")
    } catch {
      throw .invalidArgument("A line of the files is malformed.")
    }
  }
}
