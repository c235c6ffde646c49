import Access
import BaseStatus
import BaseText
import ObjectStorage
import ServiceModule

extension StorageTransfer {
  /// A project's buckets with their objects: metadata as lines, bytes as parts between them.
  ///
  /// Items are those of `FileItem`. A line of an object is followed by its bytes and their end,
  /// unless an earlier one shares them. Objects are sent one after the other: each is complete, but
  /// a concurrent change appears in one state or the other.
  static func files(_ storage: ObjectStorage) -> StorageTransfer {
    StorageTransfer("files") { scope, tell, item in
      try FileExport(storage, scope).run(tell, item)
    } import: { scope, next, tell in
      try FileImport(storage, scope).run(next, tell)
    }
  }
}

/// One export of a project's files.
private final class FileExport {
  private let storage: ObjectStorage
  private let permit: AdministratorPermit
  private let project: Text
  /// Contents that several objects have and that were handed out.
  private var shared: Set<BlobID> = []
  private var count = 0

  init(_ storage: ObjectStorage, _ scope: StorageScope) {
    self.storage = storage
    permit = scope.permit
    project = scope.database.project
  }

  func run(
    _ tell: (StorageEvent) throws -> Void,
    _ item: (StorageItem) throws -> Void
  ) throws -> StorageCount {
    let buckets = try StorageOperations(storage, permit).buckets(of: project)
    for bucket in buckets {
      let line = FileItem.line(BucketLine(bucket).json)
      try item(StorageItem(file: "buckets", bytes: line.encoded))
    }
    for bucket in buckets { try export(bucket, tell, item) }
    return StorageCount(count, "file")
  }

  private func export(
    _ bucket: StoredBucket,
    _ tell: (StorageEvent) throws -> Void,
    _ item: (StorageItem) throws -> Void
  ) throws {
    var start: [UInt8]? = []
    while let from = start {
      let (found, next) = try Waiting.translating { [storage, permit] in
        try await storage.generations(of: bucket, from: from, limit: 64, permit)
      }
      for (object, isShared) in found { try export(object, isShared, in: bucket, tell, item) }
      try tell(.progress(done: count, total: nil, unit: "file"))
      start = next
    }
  }

  private func export(
    _ object: StoredObject,
    _ isShared: Bool,
    in bucket: StoredBucket,
    _ tell: (StorageEvent) throws -> Void,
    _ item: (StorageItem) throws -> Void
  ) throws {
    let isKnown = shared.contains(object.blob)
    let content: ObjectContent?
    do {
      content = try Waiting.translating { [storage, permit] in
        try await storage.content(of: object, in: bucket, permit)
      }
    } catch let error as ServiceError where error.code == .dataLoss {
      return try tell(.difference("\(object.name.text.string): \(error.message)"))
    }
    guard let content else { return }
    let line = FileItem.line(ObjectLine(object, isShared: isShared).json)
    try item(StorageItem(file: "objects/\(bucket.name.text.string)", bytes: line.encoded))
    count += 1
    guard !isKnown else { return }
    if isShared { shared.insert(object.blob) }
    let file = object.blob.description
    try StorageOperations.read(content) { try item(StorageItem(file: file, bytes: $0.encoded)) }
  }
}

/// One import of a project's files.
private final class FileImport {
  private let storage: ObjectStorage
  private let permit: AdministratorPermit
  private let project: Text
  private var buckets: [String: StoredBucket] = [:]
  /// The blobs that several objects share, by their names in the export.
  private var shared: [String: BlobID] = [:]
  /// Contents that several objects have and whose bytes came.
  private var received: Set<String> = []
  private var differences: [String] = []
  /// The numbers of objects in buckets that were refused.
  private var refused: [String: Int] = [:]
  private var count = 0
  /// A line that was read behind the bytes of a line that is none.
  private var ahead: [UInt8]?

  init(_ storage: ObjectStorage, _ scope: StorageScope) {
    self.storage = storage
    permit = scope.permit
    project = scope.database.project
  }

  func run(
    _ next: () throws -> [UInt8]?,
    _ tell: (StorageEvent) throws -> Void
  ) throws -> StorageCount {
    while let json = try line(next) {
      do {
        switch try TransferLine(json) {
        case .bucket(let line): try take(line)
        case .object(let line): try take(line, next)
        }
      } catch let error as ServiceError where error.code == .invalidArgument {
        differences.append(error.message)
        try skipToLine(next)
      }
    }
    for (bucket, objects) in refused.sorted(by: { $0.key < $1.key }) where objects > 0 {
      differences.append("\(bucket): left out with the bucket: \(objects) objects")
    }
    for difference in differences { try tell(.difference(difference)) }
    return StorageCount(count, "file")
  }

  /// The next line; nil behind the last.
  private func line(_ next: () throws -> [UInt8]?) throws -> [UInt8]? {
    if let line = ahead {
      ahead = nil
      return line
    }
    guard let bytes = try next() else { return nil }
    guard case .line(let json) = try FileItem(bytes) else { throw StorageOperations.outOfOrder }
    return json
  }

  /// Passes over the bytes of a line that was refused, if there are any.
  private func skipToLine(_ next: () throws -> [UInt8]?) throws {
    while let bytes = try next() {
      if case .line(let json) = try FileItem(bytes) {
        ahead = json
        return
      }
    }
  }

  private func take(_ line: BucketLine) throws {
    // The default buckets of the project that was exported become those of this one.
    let name = Text(line.name)
    let id = BucketID(project: BucketID.owner(ofName: name) ?? project, name: name).moved(
      to: project
    )
    do {
      buckets[line.name] = try Waiting.translating { [storage, permit] in
        try await storage.importBucket(id, line.configuration, permit)
      }
    } catch let error as ServiceError where error.code == .alreadyExists {
      // Another project's; the others go on.
      differences.append(error.message)
      refused[line.name] = 0
    }
  }

  private func take(_ line: ObjectLine, _ next: () throws -> [UInt8]?) throws {
    if let objects = refused[line.bucket] {
      refused[line.bucket] = objects + 1
      return try skipToLine(next)
    }
    guard let bucket = buckets[line.bucket] else {
      throw ServiceError.invalidArgument("The bucket \(line.bucket) is not in the export.")
    }
    let object = line.object
    let there = try Waiting.translating { [storage, permit] in
      try await storage.imported(object, in: bucket, permit)
    }
    let known = line.isShared ? shared[line.content] : nil
    let hasBytes = !line.isShared || received.insert(line.content).inserted
    if let there {
      // An interrupted import continues where it was: existing objects are skipped.
      if hasBytes { try skip(next) }
      if line.isShared { shared[line.content] = there.blob }
      count += 1
      return
    }
    guard hasBytes || known != nil else {
      return note("its bytes belong to an object that was refused.", of: line)
    }
    let bytes = try known.map(ImportedBytes.init) ?? receive(object.hashes, next)
    do {
      _ = try Waiting.translating { [storage, permit] in
        try await storage.finishImport(object, bytes, isNew: hasBytes, in: bucket, permit)
      }
      if line.isShared { shared[line.content] = bytes.blob }
      count += 1
    } catch let error as ServiceError where error.code == .permissionDenied {
      note(error.message, of: line)
    }
  }

  private func note(_ difference: String, of line: ObjectLine) {
    differences.append("\(line.bucket)/\(line.object.name.text.string): \(difference)")
  }

  private func skip(_ next: () throws -> [UInt8]?) throws {
    while case .bytes = try item(next) {}
  }

  /// Stores the bytes that follow.
  private func receive(
    _ hashes: ContentHashes,
    _ next: () throws -> [UInt8]?
  ) throws -> ImportedBytes {
    let blob = try Waiting.translating { [storage, permit] in
      try await storage.beginImport(permit)
    }
    do {
      while case .bytes(let bytes) = try item(next) {
        try Waiting.translating { try await blob.write(bytes) }
      }
      return try Waiting.translating { try await blob.finish(hashes) }
    } catch {
      try Waiting.run { await blob.cancel() }
      throw error
    }
  }

  /// Bytes, or their end.
  private func item(_ next: () throws -> [UInt8]?) throws -> FileItem {
    guard let bytes = try next() else { throw StorageOperations.outOfOrder }
    let item = try FileItem(bytes)
    switch item {
    case .bytes, .end: return item
    case .object, .line: throw StorageOperations.outOfOrder
    }
  }
}
