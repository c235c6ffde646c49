import Access
import BaseText
import Checksums
import KeyValueStore

/// The result of a verification of buckets.
package struct BucketVerification: Sendable {
  /// Buckets that were looked at to their end.
  package var buckets = 0
  /// Generations that were looked at, older and soft-deleted ones included.
  package var objects = 0
  /// One sentence for each difference, for the operator; it begins with the bucket's or the object's name.
  package var differences: [String] = []
}

/// A share of all blobs, chosen by their names, another one each time.
package struct VerificationSample: Sendable {
  private let share: UInt64
  private let salt = UInt64.random(in: .min ... .max)

  /// One blob in so many.
  package init(oneIn share: Int) { self.share = UInt64(max(share, 1)) }

  /// Returns true if a blob is in the sample.
  func contains(_ blob: BlobID) -> Bool {
    let number = blob.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (number ^ salt) % share == 0
  }
}

extension ObjectStorage {
  /// The position at which a verification continues; nil begins.
  package struct VerificationPosition: Sendable {
    fileprivate var bucket: Text
    fileprivate var name: [UInt8]
  }

  /// Reads every object of a batch and compares size and CRC32C with what its record says, and the records of its
  /// blob.
  ///
  /// Works beside writers: data that was removed in the meantime is not a difference.
  ///
  /// - Parameter sample: The blobs whose bytes are read; of others the size alone is compared. Nil
  ///   is all.
  /// - Returns: The findings, and the position of the next batch; nil behind the last.
  package func verify(
    from position: VerificationPosition?,
    sample: VerificationSample? = nil
  ) async throws -> (found: BucketVerification, next: VerificationPosition?) {
    let first = position?.bucket ?? ""
    guard let bucket = try await read(on: .scans, { try $0.bucket(from: first) }) else {
      return (BucketVerification(), nil)
    }
    let start = position?.bucket == bucket.name.text ? position?.name ?? [] : []
    let (batch, next) = try await read(on: .scans) { view in
      try view.generations(of: bucket, .all, from: start, limit: 64)
    }
    var found = BucketVerification()
    for object in batch {
      found.objects += 1
      if let difference = try await difference(of: object, in: bucket, sample) {
        found.differences.append(
          "\(bucket.name.text.string)/\(object.name.text.string): \(difference)"
        )
      }
    }
    if let next {
      return (found, VerificationPosition(bucket: bucket.name.text, name: next))
    }
    found.buckets = 1
    if let difference = bucket.strayDifference { found.differences.append(difference) }
    if let difference = try await usageDifference(of: bucket) {
      found.differences.append("\(bucket.name.text.string): \(difference)")
    }
    // Names have no zero byte: this is the least text behind the bucket's.
    let behind = Text(bucket.name.text.string + "\u{0}")
    return (found, VerificationPosition(bucket: behind, name: []))
  }

  private func difference(
    of object: StoredObject,
    in bucket: StoredBucket,
    _ sample: VerificationSample?
  ) async throws -> String? {
    let problem = try await contentProblem(of: object, sample)
    let (isThere, references) = try await read(on: .scans) { view in
      let current = try view.object(object.name, object.generation, in: bucket)
      return (current?.blob == object.blob, try view.references(of: object.blob))
    }
    guard isThere else { return nil }
    guard let references, references.count > 0 else { return "its blob has no references" }
    guard references.size == object.size else { return "its blob's record has another size" }
    return problem
  }

  /// Returns the problem with an object's bytes; nil if there is none.
  private func contentProblem(
    of object: StoredObject,
    _ sample: VerificationSample?
  ) async throws -> String? {
    do {
      let reader = try await reader(of: object)
      guard reader.size == object.size else {
        return "\(reader.size) bytes are stored, \(object.size) were uploaded"
      }
      guard sample?.contains(object.blob) ?? true else { return nil }
      var crc = CRC32C()
      for try await part in ObjectContent(reader, object).parts() { crc.update(part) }
      return crc.value == object.hashes.crc32c ? nil : "the bytes have another CRC32C"
    } catch let error as StorageError where error.code == .notFound {
      return "its bytes are missing"
    }
  }

  private func usageDifference(of bucket: StoredBucket) async throws -> String? {
    try await read(on: .scans) { view in
      guard try view.bucket(bucket.name)?.number == bucket.number else { return nil }
      var counted = BucketUsage()
      var cursor = try ObjectCursor(view, bucket, .all, end: nil)
      try cursor.seek([])
      while let object = try cursor.object() {
        counted.objects += 1
        counted.bytes += object.size
        try cursor.next()
      }
      let usage = try view.usage(of: bucket)
      guard usage != counted else { return nil }
      return "its usage says \(usage.objects) objects of \(usage.bytes) bytes; there are "
        + "\(counted.objects) of \(counted.bytes)"
    }
  }
}

extension StoredBucket {
  /// A name that belongs to another project; nil where the name is its own.
  fileprivate var strayDifference: String? {
    guard !isRightful, let owner = BucketID.owner(ofName: name.text) else { return nil }
    return
      "\(name.text.string): project \(project.string) made this bucket, and the name belongs to "
      + "project \(owner.string), so neither reaches it; brasa storage assign gs://\(name.text.string) "
      + "gives it to \(owner.string)"
  }
}

extension KeyValueReader {
  /// The first bucket at or behind a name.
  fileprivate func bucket(from name: Text) throws -> StoredBucket? {
    let prefix = StorageKey.prefix(.bucket)
    var range = KeyRange(prefix: prefix)
    range.lower += name.utf8
    let cursor = try cursor(over: range, reversed: false)
    guard try cursor.next() else { return nil }
    let found = Text(String(decoding: cursor.key[prefix.count...], as: UTF8.self))
    let record = try cursor.value(as: StoredBucket.format, in: self)
    return try StoredBucket(BucketName(stored: found), record)
  }
}
