import BaseStatus
import BaseText
import Checksums
import FirestoreModel
import FirestoreWire
import ObjectStorage
import StorageAPI

extension LocalAdministration {
  /// Does what `brasa storage` asks.
  func storage(
    _ request: StorageRequest,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .buckets(let project):
      let buckets = try operations.buckets(of: Text(project))
      for bucket in buckets { try output(.line("gs://\(bucket.name.text.string)/")) }
      try output(.finished(summary: buckets.count.counting("bucket")))
    case .list(let path, let isRecursive, let isLong):
      try list(path, isRecursive: isRecursive, isLong: isLong, output)
    case .stat(let path): try stat(path, output)
    case .usage(let bucket, let project): try usage(bucket, project, output)
    case .quota(let bucket, let change): try quota(bucket, change, output)
    case .assign(let bucket):
      let assigned = try operations.assign(bucket)
      try output(
        .finished(summary: "assigned gs://\(bucket)/ to project \(assigned.project.string)")
      )
    case .remove(let path, let isRecursive): try remove(path, isRecursive: isRecursive, output)
    case .read(let path, let isRecursive): try read(path, isRecursive: isRecursive, output)
    case .write(let bucket):
      let count = try operations.write(to: bucket, input)
      try output(.finished(summary: "stored \(count.counting("object"))"))
    case .copy(let source, let target, let isRecursive):
      try copy(source, target, isRecursive: isRecursive, output)
    }
  }

  private var operations: StorageOperations { StorageOperations(files, permit) }

  private func list(
    _ path: StoragePath,
    isRecursive: Bool,
    isLong: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    var (count, bytes) = (0, Int64(0))
    try operations.list(path.bucket, prefix: path.name, isRecursive: isRecursive) { entry in
      switch entry {
      case .folder(let name):
        try output(.line((isLong ? Self.columns("", "") : "") + "gs://\(path.bucket)/\(name)"))
      case .object(let object):
        count += 1
        bytes += object.size
        let long = Self.columns("\(object.size)", Self.time(object.updated))
        try output(.line((isLong ? long : "") + object.url))
      }
    }
    try output(.finished(summary: "\(count.counting("object")), \(Int(bytes).counting("byte"))"))
  }

  private func stat(
    _ path: StoragePath,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let object = try operations.object(path.bucket, path.name)
    for (name, value) in object.facts { try output(.line("\(name): \(value)")) }
    try output(.finished(summary: ""))
  }

  private func usage(
    _ bucket: String?,
    _ project: String?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let buckets =
      try bucket.map { [$0] }
      ?? project.map { try operations.buckets(of: Text($0)).map(\.name.text.string) } ?? []
    var total = (objects: 0, bytes: 0)
    for name in buckets {
      let usage = try operations.usage(of: name)
      total.objects += Int(usage.objects)
      total.bytes += Int(usage.bytes)
      try output(.line(Self.columns("\(usage.bytes)", "\(usage.objects)") + "gs://\(name)/"))
    }
    let (objects, bytes) = (total.objects.counting("object"), total.bytes.counting("byte"))
    try output(.finished(summary: "\(bytes) in \(objects), older versions included"))
  }

  private func quota(
    _ bucket: String,
    _ change: QuotaChange,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch change {
    case .keep: break
    case .remove: try operations.setQuota(of: bucket, nil)
    case .bytes(let bytes): try operations.setQuota(of: bucket, bytes)
    }
    let quota = try operations.quota(of: bucket)
    try output(.line(quota.map(String.init) ?? "none"))
    try output(.finished(summary: ""))
  }

  private func remove(
    _ path: StoragePath,
    isRecursive: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    guard isRecursive else {
      try operations.delete(path.bucket, path.name)
      return try output(.finished(summary: "deleted 1 object"))
    }
    var count = 0
    try visit(path.folder) { object in
      try operations.delete(path.bucket, object.name.text.string)
      count += 1
      try output(.progress(done: count, total: nil, unit: "object"))
    }
    try output(.finished(summary: "deleted \(count.counting("object"))"))
  }

  private func read(
    _ path: StoragePath,
    isRecursive: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    var count = 0
    func read(_ object: StoredObject) throws {
      try operations.read(object) { try output(.item(file: "", bytes: $0.encoded)) }
      count += 1
    }
    if isRecursive {
      try visit(path.folder, read)
    } else {
      try read(try operations.object(path.bucket, path.name))
    }
    try output(.finished(summary: "copied \(count.counting("object"))"))
  }

  private func copy(
    _ source: StoragePath,
    _ target: StoragePath,
    isRecursive: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    guard isRecursive else {
      _ = try operations.copy((source.bucket, source.name), to: (target.bucket, target.name))
      return try output(.finished(summary: "copied 1 object"))
    }
    var count = 0
    let (from, to) = (source.folder, target.folder)
    guard from.bucket != to.bucket || !to.name.utf8.starts(with: from.name.utf8) else {
      throw ServiceError.invalidArgument("A folder cannot be copied into itself.")
    }
    try visit(from) { object in
      let name = object.name.text.string
      let rest = String(decoding: name.utf8.dropFirst(from.name.utf8.count), as: UTF8.self)
      _ = try operations.copy((from.bucket, name), to: (to.bucket, to.name + rest))
      count += 1
      try output(.progress(done: count, total: nil, unit: "object"))
    }
    try output(.finished(summary: "copied \(count.counting("object"))"))
  }

  /// Every object below a prefix; refuses a prefix without any.
  private func visit(_ path: StoragePath, _ each: (StoredObject) throws -> Void) throws {
    var isEmpty = true
    try operations.list(path.bucket, prefix: path.name, isRecursive: true) { entry in
      guard case .object(let object) = entry else { return }
      isEmpty = false
      try each(object)
    }
    guard !isEmpty else {
      throw ServiceError(.notFound, "There are no objects below \(path.url)")
    }
  }

  /// Two right-aligned columns before a name.
  private static func columns(_ first: String, _ second: String) -> String {
    [(first, 14), (second, 24)].map { text, width in
      String(repeating: " ", count: max(0, width - text.count)) + text + "  "
    }
    .joined()
  }

  fileprivate static func time(_ microseconds: Int64) -> String {
    let instant = Timestamp(microseconds: microseconds - microseconds % 1_000_000)
    return TimestampText.format(seconds: instant.seconds, nanos: 0)
  }
}

extension StoredObject {
  fileprivate var url: String { "gs://\(bucket.text.string)/\(name.text.string)" }

  /// The facts about an object that people want to know, in this order.
  fileprivate var facts: [(name: String, value: String)] {
    var facts: [(String, String)] = [
      ("url", url), ("size", "\(size)"), ("generation", "\(generation)"),
      ("metageneration", "\(metageneration)"),
      ("created", LocalAdministration.time(created)),
      ("updated", LocalAdministration.time(updated)),
    ]
    let headers = [
      ("content type", attributes.contentType), ("cache control", attributes.cacheControl),
      ("content encoding", attributes.contentEncoding),
      ("content language", attributes.contentLanguage),
      ("content disposition", attributes.contentDisposition),
    ]
    for case let (name, value?) in headers { facts.append((name, value.string)) }
    if let md5 = hashes.md5 { facts.append(("md5", Base64.standard(md5))) }
    facts.append(("crc32c", Base64.standard(CRC32C.bytes(of: hashes.crc32c))))
    for (key, value) in attributes.metadata.sorted(by: { $0.key < $1.key }) {
      // Anyone with a token may download.
      guard key != ObjectAttributes.tokensKey else {
        facts.append(("download tokens", "\(attributes.downloadTokens.count)"))
        continue
      }
      facts.append(("metadata \(key.string)", value.string))
    }
    return facts
  }
}
