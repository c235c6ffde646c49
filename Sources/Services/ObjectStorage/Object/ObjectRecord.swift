import KeyValueStore

// An object's record, in the form of RecordWriter.swift. Bucket, name and, for older versions, generation are the key's.
//
//   1 generation      2 metageneration   3 blob's id         4 size             5 CRC-32C
//   6 MD5             7 components       8 created           9 updated         10 content type
//  11 cache control  12 disposition     13 encoding         14 language        15 storage class
//  16 custom time    17 held            18 held for event   19 metadata, each a pair
//  20 noncurrent since                  21 soft-deleted at  22 ... until       23 tag of parts
//  40 custom time's nanoseconds beyond its microsecond

/// An object as it is stored.
enum ObjectRecord {
  static let format = ValueFormat("an object") { try RecordReader(Array($0)) }

  static func bytes(_ object: StoredObject) -> [UInt8] {
    var writer = RecordWriter()
    writer.put(1, object.generation)
    writer.put(2, object.metageneration)
    writer.put(3, bytes: object.blob.bytes)
    writer.put(4, object.hashes.size)
    writer.put(5, Int64(object.hashes.crc32c))
    writer.put(6, bytes: object.hashes.md5)
    writer.put(7, object.componentCount.map(Int64.init))
    writer.put(8, object.created)
    writer.put(9, object.updated)
    writer.put(23, object.hashes.partsTag)
    put(object.attributes, to: &writer)
    switch object.state {
    case .live: break
    case .noncurrent(let since): writer.put(20, since)
    case .softDeleted(let time, let end):
      writer.put(21, time)
      writer.put(22, end)
    }
    return writer.bytes
  }

  static func put(_ attributes: ObjectAttributes, to writer: inout RecordWriter) {
    writer.put(10, attributes.contentType)
    writer.put(11, attributes.cacheControl)
    writer.put(12, attributes.contentDisposition)
    writer.put(13, attributes.contentEncoding)
    writer.put(14, attributes.contentLanguage)
    writer.put(15, attributes.storageClass)
    writer.put(16, attributes.customTime)
    writer.put(17, attributes.isHeld)
    writer.put(18, attributes.isHeldForEvent)
    writer.put(19, pairs: attributes.metadata)
    if attributes.customTimeNanos > 0 { writer.put(40, attributes.customTimeNanos) }
  }

  /// Takes a field of attributes; false for a field of something else.
  static func read(
    _ field: RecordReader.Field,
    into attributes: inout ObjectAttributes
  ) throws -> Bool {
    switch field.tag {
    case 10: attributes.contentType = try field.text()
    case 11: attributes.cacheControl = try field.text()
    case 12: attributes.contentDisposition = try field.text()
    case 13: attributes.contentEncoding = try field.text()
    case 14: attributes.contentLanguage = try field.text()
    case 15: attributes.storageClass = try field.text()
    case 16: attributes.customTime = try field.number()
    case 40: attributes.customTimeNanos = try field.number()
    case 17: attributes.isHeld = field.flag
    case 18: attributes.isHeldForEvent = field.flag
    case 19:
      let (key, value) = try field.pair()
      attributes.metadata[key] = value
    default: return false
    }
    return true
  }

  /// The values of the fields while they are read.
  private struct Draft {
    var attributes = ObjectAttributes()
    var numbers: [UInt8: Int64] = [:]
    var blob: BlobID?
    var md5: [UInt8]?
    var partsTag: String?

    mutating func take(_ field: RecordReader.Field) throws {
      guard try !ObjectRecord.read(field, into: &attributes) else { return }
      switch field.tag {
      case 3: blob = BlobID(field.raw)
      case 6: md5 = field.raw
      case 23: partsTag = try field.string()
      default: numbers[field.tag] = try field.number()
      }
    }

    var state: StoredObject.State {
      if let since = numbers[20] { return .noncurrent(since: since) }
      if let time = numbers[21] { return .softDeleted(at: time, until: numbers[22] ?? 0) }
      return .live
    }
  }

  /// The object of a record that was found under a name of a bucket.
  static func object(
    _ record: RecordReader,
    _ bucket: BucketName,
    _ name: ObjectName
  ) throws -> StoredObject {
    var reader = record
    var draft = Draft()
    while let field = try reader.next() { try draft.take(field) }
    guard let blob = draft.blob, let generation = draft.numbers[1],
      let crc32c = UInt32(exactly: draft.numbers[5] ?? 0)
    else { throw RecordReader.corrupt("no blob") }
    return StoredObject(
      bucket: bucket,
      name: name,
      generation: generation,
      metageneration: draft.numbers[2] ?? 1,
      attributes: draft.attributes,
      hashes: ContentHashes(
        size: draft.numbers[4] ?? 0,
        crc32c: crc32c,
        md5: draft.md5,
        partsTag: draft.partsTag
      ),
      componentCount: draft.numbers[7].map(Int.init),
      created: draft.numbers[8] ?? 0,
      updated: draft.numbers[9] ?? 0,
      state: draft.state,
      blob: blob
    )
  }
}
