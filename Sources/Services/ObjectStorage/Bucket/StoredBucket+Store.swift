import BaseText
import KeyValueStore

extension KeyValueReader {
  func bucket(_ name: BucketName) throws -> StoredBucket? {
    try get(StorageKey.bucket(name), as: StoredBucket.format).map { try StoredBucket(name, $0) }
  }

  /// The bucket as it is now; throws where it is gone, also if another has its name since.
  func bucket(_ known: StoredBucket) throws -> StoredBucket {
    guard let stored = try bucket(known.name), stored.number == known.number else {
      throw StorageError.noBucket(known.name)
    }
    return stored
  }

  func usage(of bucket: StoredBucket) throws -> BucketUsage {
    let key = StorageKey.usage(bucket.number)
    return try get(key, as: BucketUsage.format).map { try BucketUsage($0) } ?? BucketUsage()
  }

  /// The live generation of a name.
  func object(_ name: ObjectName, in bucket: StoredBucket) throws -> StoredObject? {
    let key = StorageKey.object(bucket.number, name)
    return try get(key, as: ObjectRecord.format).map {
      try ObjectRecord.object($0, bucket.name, name)
    }
  }

  /// A generation of a name, in any state; nil is the live one.
  func object(
    _ name: ObjectName,
    _ generation: Int64?,
    in bucket: StoredBucket
  ) throws -> StoredObject? {
    let live = try object(name, in: bucket)
    guard let generation, live?.generation != generation else { return live }
    let key = StorageKey.version(bucket.number, name, generation)
    return try get(key, as: ObjectRecord.format).map {
      try ObjectRecord.object($0, bucket.name, name)
    }
  }

  /// The names of a project's buckets, from one on.
  func bucketNames(of project: Text, from first: Text, limit: Int) throws -> [BucketName] {
    let prefix = StorageKey.projectBuckets(project)
    var range = KeyRange(prefix: prefix)
    range.lower += first.utf8
    let cursor = try cursor(over: range, reversed: false)
    var names: [BucketName] = []
    while names.count < limit, try cursor.next() {
      let name = String(decoding: cursor.key[prefix.count...], as: UTF8.self)
      names.append(BucketName(stored: Text(name)))
    }
    return names
  }
}

extension KeyValueGroup {
  func makeBucket(
    _ name: BucketName,
    _ project: Text,
    _ configuration: BucketConfiguration
  ) throws -> StoredBucket {
    guard name.mayBelong(to: project) else { throw StorageError.nameOfAnother }
    let number = try allocateVersion()
    let stored = StoredBucket(
      name,
      project: project,
      number: number,
      configuration: configuration
    )
    try put(stored)
    try putMarker(StorageKey.projectBucket(project, name))
    return stored
  }

  /// Gives a bucket to another project.
  func move(_ bucket: inout StoredBucket, to project: Text) throws {
    try delete(StorageKey.projectBucket(bucket.project, bucket.name))
    bucket.project = project
    bucket.metageneration += 1
    bucket.updated = try allocateVersion()
    try put(bucket)
    try putMarker(StorageKey.projectBucket(project, bucket.name))
  }

  func put(_ bucket: StoredBucket) throws {
    try put(StorageKey.bucket(bucket.name), bucket.bytes)
  }
}
