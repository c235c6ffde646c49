import BaseText
import KeyValueStore

// A bucket's record, in the form of RecordWriter.swift. The name is the key's.
//
//   1 number        2 project          3 created          4 updated      5 metageneration
//   6 location      7 storage class    8 versioned        9 seconds of soft delete
//  10 quota + 1    11 lifecycle, each a rule             12 documents, each a pair

/// A bucket without its objects.
package struct StoredBucket: Sendable, Hashable {
  /// Unique over all projects; it never changes.
  package let name: BucketName
  /// The id of the project that owns the bucket; only an administrator's `assignToOwner` changes it.
  package internal(set) var project: Text
  /// Names the bucket in the keys of its objects; a bucket that is created again has another.
  let number: Int64
  /// In microseconds since 1970.
  package let created: Int64
  /// The last change of the configuration or the owner, in microseconds since 1970.
  package var updated: Int64
  /// Counts changes of the configuration and the owner, from 1.
  package var metageneration: Int64
  /// The settings of the bucket, which `Bucket.update` checks and changes.
  package var configuration: BucketConfiguration

  /// Changes with the settings of the bucket.
  package var entityTag: String { Base64.standard(Array("\(metageneration)".utf8)) }

  /// True if its project may have the name; no caller reaches another bucket.
  package var isRightful: Bool { name.mayBelong(to: project) }

  static let format = ValueFormat("a bucket") { try RecordReader(Array($0)) }

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, number)
    writer.put(2, project)
    writer.put(3, created)
    writer.put(4, updated)
    writer.put(5, metageneration)
    writer.put(6, configuration.location)
    writer.put(7, configuration.storageClass)
    writer.put(8, configuration.isVersioned)
    writer.put(9, configuration.softDeleteSeconds)
    writer.put(10, configuration.quotaBytes.map { $0 + 1 })
    for rule in configuration.lifecycle { writer.put(11) { rule.write(to: &$0) } }
    writer.put(12, pairs: configuration.documents)
    return writer.bytes
  }

  init(
    _ name: BucketName,
    project: Text,
    number: Int64,
    configuration: BucketConfiguration
  ) {
    self.name = name
    self.project = project
    self.number = number
    created = number
    updated = number
    metageneration = 1
    self.configuration = configuration
  }

  /// A bucket that is not stored, since nothing was written to it: no object's key has its number.
  static func unmade(_ name: BucketName, project: Text) -> StoredBucket {
    StoredBucket(name, project: project, number: 0, configuration: BucketConfiguration())
  }

  /// True for a bucket that is stored.
  package var isMade: Bool { number != 0 }

  init(_ name: BucketName, _ record: RecordReader) throws {
    var reader = record
    var numbers: [UInt8: Int64] = [:]
    var project: Text = ""
    var configuration = BucketConfiguration()
    while let field = try reader.next() {
      switch field.tag {
      case 2: project = try field.text()
      case 6: configuration.location = try field.text()
      case 7: configuration.storageClass = try field.text()
      case 11: configuration.lifecycle.append(try LifecycleRule(try field.record()))
      case 12:
        let (key, value) = try field.pair()
        configuration.documents[key] = value
      default: numbers[field.tag] = try field.number()
      }
    }
    guard let number = numbers[1] else { throw RecordReader.corrupt("no number") }
    configuration.isVersioned = numbers[8] == 1
    configuration.softDeleteSeconds = numbers[9] ?? 0
    configuration.quotaBytes = numbers[10].map { $0 - 1 }
    (self.name, self.project, self.number) = (name, project, number)
    created = numbers[3] ?? 0
    updated = numbers[4] ?? 0
    metageneration = numbers[5] ?? 1
    self.configuration = configuration
  }
}

/// The size of a bucket's contents, older versions included.
package struct BucketUsage: Sendable, Hashable {
  /// Generations in every state: live, older and soft-deleted ones.
  package var objects: Int64 = 0
  /// Bytes of all these generations; a blob that several share counts for each.
  package var bytes: Int64 = 0

  static let format = ValueFormat("a bucket's usage") { try RecordReader(Array($0)) }

  var record: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, objects)
    writer.put(2, bytes)
    return writer.bytes
  }

  init() {}

  init(_ record: RecordReader) throws {
    var reader = record
    while let field = try reader.next() {
      switch field.tag {
      case 1: objects = try field.number()
      case 2: bytes = try field.number()
      default: break
      }
    }
  }
}
