import BaseText
import KeyValueStore

extension ProjectRecords {
  /// A project's buckets with their objects, and its HMAC keys.
  ///
  /// Uploads that are open are left out. Bytes that objects of several projects share count those of this one.
  package static let files = ProjectRecords(of: .files) { project, reader, take in
    var references: [BlobID: Int64] = [:]
    for bucket in try buckets(of: Text(project), reader, take) {
      for prefix in [StorageKey.objects(bucket.number), StorageKey.versions(bucket.number)] {
        try reader.take(KeyRange(prefix: prefix)) { key, value in
          // The name has no meaning here.
          let record = try RecordReader(value)
          let object = try ObjectRecord.object(record, bucket.name, ObjectName(stored: ""))
          references[object.blob, default: 0] += 1
          try take(key, value)
        }
      }
      try reader.take(KeyRange(prefix: StorageKey.usage(bucket.number)), take)
    }
    for (blob, count) in references {
      guard var kept = try reader.references(of: blob) else { continue }
      kept.count = count
      try take(StorageKey.blob(blob), kept.bytes)
      try reader.take(KeyRange(prefix: StorageKey.content(blob)), take)
    }
    try reader.take(
      KeyRange(prefix: StorageKey.prefix(.hmacKey)),
      where: { _, value in
        try HMACKey("", try RecordReader(Array(value))).project.string == project
      },
      take
    )
  }

  /// Passes on the buckets of a project, and returns them.
  private static func buckets(
    of project: Text,
    _ reader: any KeyValueReader,
    _ take: Take
  ) throws -> [StoredBucket] {
    var buckets: [StoredBucket] = []
    let prefix = StorageKey.prefix(.bucket)
    try reader.take(KeyRange(prefix: prefix)) { key, value in
      let name = BucketName(stored: Text(String(decoding: key[prefix.count...], as: UTF8.self)))
      let bucket = try StoredBucket(name, try RecordReader(value))
      guard bucket.project == project else { return }
      buckets.append(bucket)
      try take(key, value)
    }
    try reader.take(KeyRange(prefix: StorageKey.projectBuckets(project)), take)
    return buckets
  }
}
