import BaseText
import KeyValueStore

// An upload's record, in the form of RecordWriter.swift. The id is the key's.
//
//   1 bucket          2 bucket's number  3 object's name    4 blob's id        5 begun
//   6 ends            7 offset           8 the store's state                   9 initiator
//  10 ... 19 attributes as an object's
//  20 size + 1       21 CRC-32C + 1     22 MD5
//  23 generation + 1 24 ... not + 1     25 metageneration + 1                 26 ... not + 1
//  27 generation of the object that it became             28 project
//  29 bytes counted  30 caller          31 CRC-32C of the bytes up to the offset, + 1
//  32 entity tags of the object that there must be, 33 ... not; a comma between two
//  34 cancelled: no more is left of it than that
//  35 network
//
// Preconditions are the client's and may be any number: additions to them wrap.

/// A resumable upload as it is stored.
struct UploadRecord: Sendable {
  let id: UploadID
  let bucket: BucketName
  let project: Text
  let bucketNumber: Int64
  let new: NewObject
  let blob: BlobID
  let begun: Int64
  let end: Int64
  let initiator: [UInt8]
  /// The caller for whom it counts beside its project; nil if there is none.
  let caller: Text?
  /// The network of a caller who is no administrator, for which it counts as well; nil also where it was begun before
  /// uploads were counted so.
  let network: Text?
  /// The bytes for which it counts: those that it has, or more that it may yet get.
  var counted: Int64
  var progress: BlobProgress
  /// CRC-32C of the bytes so far; nil if it is unknown.
  var checksum: UInt32?
  /// The generation that it became; nil while it is unfinished.
  var generation: Int64?
  /// True once the client has cancelled the upload.
  var isCancelled = false

  /// True while more bytes may come: the upload counts, and has a blob.
  var isOpen: Bool { generation == nil && !isCancelled }

  static let format = ValueFormat("an upload") { try RecordReader(Array($0)) }

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, bucket.text)
    writer.put(2, bucketNumber)
    writer.put(3, new.name.text)
    writer.put(4, bytes: blob.bytes)
    writer.put(5, begun)
    writer.put(6, end)
    writer.put(7, progress.offset)
    writer.put(8, bytes: progress.state)
    writer.put(9, bytes: initiator)
    ObjectRecord.put(new.attributes, to: &writer)
    writer.put(20, new.expected.size.map { $0 + 1 })
    writer.put(21, new.expected.crc32c.map { Int64($0) + 1 })
    writer.put(22, bytes: new.expected.md5)
    writer.put(23, new.preconditions.generation.map { $0 &+ 1 })
    writer.put(24, new.preconditions.notGeneration.map { $0 &+ 1 })
    writer.put(25, new.preconditions.metageneration.map { $0 &+ 1 })
    writer.put(26, new.preconditions.notMetageneration.map { $0 &+ 1 })
    writer.put(27, generation)
    writer.put(28, project)
    writer.put(29, counted)
    writer.put(30, caller)
    writer.put(31, checksum.map { Int64($0) + 1 })
    writer.put(32, new.preconditions.entityTags.map { Text($0.joined(separator: ",")) })
    writer.put(33, new.preconditions.notEntityTags.map { Text($0.joined(separator: ",")) })
    writer.put(34, isCancelled)
    writer.put(35, network)
    return writer.bytes
  }

  /// The record that replaces this one when the client cancels the upload, until its time is over.
  var cancelled: UploadRecord {
    var record = UploadRecord(
      id: id,
      bucket: bucket,
      project: project,
      bucketNumber: bucketNumber,
      new: NewObject(new.name),
      blob: blob,
      begun: begun,
      end: end,
      initiator: initiator,
      caller: caller,
      network: network,
      counted: 0,
      progress: BlobProgress(offset: 0)
    )
    record.isCancelled = true
    return record
  }
}

extension UploadRecord {
  /// The values of the fields while they are read.
  private struct Draft {
    var numbers: [UInt8: Int64] = [:]
    var texts: [UInt8: Text] = [:]
    var raw: [UInt8: [UInt8]] = [:]
    var attributes = ObjectAttributes()

    mutating func take(_ field: RecordReader.Field) throws {
      guard try !ObjectRecord.read(field, into: &attributes) else { return }
      switch field.tag {
      case 1, 3, 28, 30, 32, 33, 35: texts[field.tag] = try field.text()
      case 4, 8, 9, 22: raw[field.tag] = field.raw
      default: numbers[field.tag] = try field.number()
      }
    }

    func optional(_ tag: UInt8) -> Int64? { numbers[tag].map { $0 &- 1 } }

    private func tags(_ tag: UInt8) -> [String]? {
      texts[tag].map { $0.string.split(separator: ",").map(String.init) }
    }

    var preconditions: ObjectPreconditions {
      var conditions = ObjectPreconditions()
      conditions.generation = optional(23)
      conditions.notGeneration = optional(24)
      conditions.metageneration = optional(25)
      conditions.notMetageneration = optional(26)
      conditions.entityTags = tags(32)
      conditions.notEntityTags = tags(33)
      return conditions
    }

    var expected: ExpectedContent {
      ExpectedContent(
        size: optional(20),
        crc32c: optional(21).map { UInt32(truncatingIfNeeded: $0) },
        md5: raw[22]
      )
    }
  }

  init(_ id: UploadID, _ record: RecordReader) throws {
    var reader = record
    var draft = Draft()
    while let field = try reader.next() { try draft.take(field) }
    guard let bucket = draft.texts[1], let name = draft.texts[3],
      let blob = BlobID(draft.raw[4] ?? [])
    else { throw RecordReader.corrupt("no object") }
    self.init(
      id: id,
      bucket: BucketName(stored: bucket),
      project: draft.texts[28] ?? "",
      bucketNumber: draft.numbers[2] ?? 0,
      new: NewObject(
        ObjectName(stored: name),
        attributes: draft.attributes,
        expected: draft.expected,
        preconditions: draft.preconditions
      ),
      blob: blob,
      begun: draft.numbers[5] ?? 0,
      end: draft.numbers[6] ?? 0,
      initiator: draft.raw[9] ?? [],
      caller: draft.texts[30],
      network: draft.texts[35],
      counted: draft.numbers[29] ?? 0,
      progress: BlobProgress(offset: draft.numbers[7] ?? 0, state: draft.raw[8] ?? []),
      checksum: draft.optional(31).map { UInt32(truncatingIfNeeded: $0) },
      generation: draft.numbers[27],
      isCancelled: draft.numbers[34] == 1
    )
  }
}

extension KeyValueReader {
  func upload(_ id: UploadID) throws -> UploadRecord? {
    try get(StorageKey.upload(id), as: UploadRecord.format).map { try UploadRecord(id, $0) }
  }
}

extension KeyValueGroup {
  func put(_ upload: UploadRecord) throws {
    try put(StorageKey.upload(upload.id), upload.bytes)
  }

  /// Marks an upload as cancelled and counts it no more; does nothing if it is over.
  func cancel(_ upload: UploadRecord) throws {
    guard let current = try self.upload(upload.id), current.isOpen else { return }
    try count(current, uploads: -1, bytes: -current.counted)
    try put(current.cancelled)
  }

  /// Forgets an upload, and counts it no more if it was unfinished.
  func delete(_ upload: UploadRecord) throws {
    guard let current = try self.upload(upload.id) else { return }
    if current.isOpen { try count(current, uploads: -1, bytes: -current.counted) }
    try delete(StorageKey.upload(upload.id))
    try delete(StorageKey.uploadEnd(upload.end, upload.id))
  }
}
