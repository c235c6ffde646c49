import Access
import BaseStatus
import BaseText
import ObjectStorage

/// The operations on buckets and their objects for the operator's commands.
///
/// Calls block their thread, which is none of an event loop. Errors are `ServiceError`s.
package struct StorageOperations: Sendable {
  private let storage: ObjectStorage
  private let permit: AdministratorPermit

  /// Operations on that storage with the operator's right.
  package init(_ storage: ObjectStorage, _ permit: AdministratorPermit) {
    self.storage = storage
    self.permit = permit
  }

  /// One line of a list.
  package enum Entry: Sendable {
    case object(StoredObject)
    /// The common beginning of names up to the next slash.
    case folder(String)
  }

  // MARK: Buckets

  /// A project's buckets by name.
  package func buckets(of project: Text) throws -> [StoredBucket] {
    var buckets: [StoredBucket] = []
    while true {
      let first = buckets.last.map { Text($0.name.text.string + "\u{0}") } ?? ""
      let page = try wait { [storage, permit] in
        try await storage.buckets(of: project, from: first, limit: 1_000, permit)
      }
      buckets += page
      if page.count < 1_000 { return buckets }
    }
  }

  /// Returns the size of a bucket's contents.
  package func usage(of bucket: String) throws -> BucketUsage {
    let bucket = try self.bucket(bucket)
    return try wait { try await bucket.usage() }
  }

  /// The most bytes that a bucket may hold; nil where it has no bound of its own.
  package func quota(of bucket: String) throws -> Int64? {
    try self.bucket(bucket).stored.configuration.quotaBytes
  }

  /// Limits the bytes of a bucket; existing bytes beyond the limit stay.
  package func setQuota(of bucket: String, _ bytes: Int64?) throws {
    let bucket = try self.bucket(bucket)
    try wait { _ = try await bucket.update { $0.quotaBytes = bytes } }
  }

  /// Gives a bucket that another project made to the project that its name belongs to.
  package func assign(_ bucket: String) throws -> StoredBucket {
    try wait { [storage, permit] in
      try await storage.assignToOwner(try BucketName(bucket), permit)
    }
  }

  private func bucket(_ name: String) throws -> Bucket {
    try wait { [storage, permit] in
      let name = try BucketName(name)
      guard let project = try await storage.project(ofBucket: name) else {
        throw StorageError(.notFound, "The specified bucket does not exist: \(name.text.string)")
      }
      let id = BucketID(project: project, name: name.text)
      return try await storage.bucket(try permit.bucket(id))
    }
  }

  // MARK: Objects

  /// Passes on the entries below a prefix, in the order of names; a page at a time is in memory.
  ///
  /// - Parameter isRecursive: True if names are listed behind the next slash too, in place of
  ///   folders.
  package func list(
    _ bucket: String,
    prefix: String,
    isRecursive: Bool,
    _ each: (Entry) throws -> Void
  ) throws {
    let bucket = try self.bucket(bucket)
    var query = ObjectQuery()
    query.prefix = Text(prefix)
    query.delimiter = isRecursive ? nil : "/"
    repeat {
      let asked = query
      let page = try wait { try await bucket.list(asked) }
      let entries =
        page.objects.map { (name: $0.name.text.string, entry: Entry.object($0)) }
        + page.prefixes.map { (name: $0.string, entry: Entry.folder($0.string)) }
      for (_, entry) in entries.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
      {
        try each(entry)
      }
      query.token = page.next
    } while query.token != nil
  }

  /// An object; throws `notFound` where there is none.
  package func object(_ bucket: String, _ name: String) throws -> StoredObject {
    let bucket = try self.bucket(bucket)
    return try wait { try await bucket.object(try ObjectName(name)) }
  }

  /// Deletes an object.
  package func delete(_ bucket: String, _ name: String) throws {
    let bucket = try self.bucket(bucket)
    try wait { _ = try await bucket.delete(try ObjectName(name)) }
  }

  /// Copies an object within the server; the copy has the attributes of its source.
  package func copy(
    _ source: (bucket: String, name: String),
    to target: (bucket: String, name: String)
  ) throws -> StoredObject {
    let (from, to) = (try bucket(source.bucket), try bucket(target.bucket))
    let names = (source.name, target.name)
    return try wait {
      let copy = ObjectCopy(try ObjectName(names.0), to: NewObject(try ObjectName(names.1)))
      return try await from.copy(copy, to: to)
    }
  }

  /// Hands out an object as items of a stream.
  package func read(_ object: StoredObject, _ item: (FileItem) throws -> Void) throws {
    let bucket = try self.bucket(object.bucket.text.string)
    let content = try wait { try await bucket.content(of: object) }
    let header = FileHeader(
      name: object.name.text.string,
      size: object.size,
      contentType: object.attributes.contentType?.string
    )
    try item(.object(header))
    try Self.read(content, item)
  }

  /// Hands out an object's bytes and their end.
  static func read(_ content: ObjectContent, _ item: (FileItem) throws -> Void) throws {
    var position: Int64 = 0
    while position < content.object.size {
      let end = min(position + Int64(partBytes), content.object.size)
      let range = position..<end
      let part = try Waiting.translating { try await content.parts(range).collect() }
      try item(.bytes(part))
      position = end
    }
    try item(.end(crc32c: content.object.hashes.crc32c))
  }

  /// The number of bytes that are read at once.
  private static let partBytes = 1 << 20

  /// Stores the objects of a stream; each is visible when its end has come and its CRC-32C is right.
  ///
  /// - Returns: The number of objects.
  package func write(to bucket: String, _ next: () throws -> [UInt8]?) throws -> Int {
    let bucket = try self.bucket(bucket)
    var count = 0
    while let bytes = try next() {
      guard case .object(let header) = try FileItem(bytes) else { throw Self.outOfOrder }
      try write(header, to: bucket, next)
      count += 1
    }
    return count
  }

  private func write(
    _ header: FileHeader,
    to bucket: Bucket,
    _ next: () throws -> [UInt8]?
  ) throws {
    let upload = try wait {
      var attributes = ObjectAttributes()
      attributes.contentType = header.contentType.map { Text($0) }
      let expected = ExpectedContent(size: header.size)
      return try await bucket.beginUpload(
        NewObject(try ObjectName(header.name), attributes: attributes, expected: expected)
      )
    }
    do {
      let crc = try fill(upload, next)
      _ = try wait { try await upload.finish(ExpectedContent(crc32c: crc)) }
    } catch {
      try wait { await upload.cancel() }
      throw error
    }
  }

  /// Takes an object's bytes up to its end, and gives their CRC-32C as the sender computed it.
  private func fill(_ upload: ObjectUpload, _ next: () throws -> [UInt8]?) throws -> UInt32 {
    while let item = try next() {
      switch try FileItem(item) {
      case .object, .line: throw Self.outOfOrder
      case .bytes(let bytes): try wait { try await upload.write(bytes) }
      case .end(let crc32c): return crc32c
      }
    }
    throw ServiceError.invalidArgument("A stream of files ends early.")
  }

  static let outOfOrder = ServiceError.invalidArgument(
    "The items of a stream of files are out of order."
  )

  private func wait<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
    try Waiting.translating(work)
  }
}

extension ObjectContent.Parts {
  /// All bytes of the range.
  fileprivate func collect() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await part in self { bytes += part }
    return bytes
  }
}

extension ServiceError {
  /// The error for operators, who see the cause.
  init(_ error: StorageError) {
    let code: StatusCode =
      switch error.code {
      case .invalid, .contentMismatch, .rangeNotSatisfiable: .invalidArgument
      case .forbidden: .permissionDenied
      case .notFound, .gone: .notFound
      case .conflict: .alreadyExists
      case .conditionNotMet, .notModified: .failedPrecondition
      case .quotaExceeded, .insufficientStorage: .resourceExhausted
      case .unavailable: .unavailable
      case .corrupt: .dataLoss
      case .unsupported: .unimplemented
      }
    let cause = error.cause.map { " (\($0))" } ?? ""
    self.init(code, error.message + cause)
  }
}
