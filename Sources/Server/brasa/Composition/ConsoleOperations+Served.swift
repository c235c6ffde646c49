import Access
import BaseStatus
import Console
import FirestoreModel
import Foundation
import ServiceModule
import X509

extension ConsoleOperations {
  /// Returns the console's operations on the data of a server that runs, with exports in a folder
  /// of its data directory.
  static func served(
    _ services: StoredServices,
    access: AccessControl,
    settings: ServeSettings,
    logs: LogRing,
    metrics: MetricsHistory,
    jobs: OperationJobs
  ) -> ConsoleOperations {
    let transfer = ServedTransfer(services: services, access: access, root: settings.dataDirectory)
    let tls = settings.tls
    return ConsoleOperations(
      logs: logs,
      metrics: metrics,
      jobs: jobs,
      kinds: services.transferNames,
      verify: { sample, tell in try transfer.verify(sample, tell) },
      export: { try transfer.export($0, $1, to: $2, $3) },
      restore: { try transfer.restore($0, $1, from: $2, $3) },
      exports: { try transfer.exports() },
      certificate: { try tls.map { try Certificate(file: $0.certificate) } }
    )
  }
}

extension X509.Certificate {
  /// The first certificate of a PEM file; blocks.
  init(file: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let end = "-----END CERTIFICATE-----"
    guard let range = text.range(of: end) else {
      throw ServiceError(.failedPrecondition, "The certificate file contains no certificate.")
    }
    try self.init(pemEncoded: String(text[..<range.upperBound]))
  }
}

extension ConsoleOperations.Certificate {
  /// The first certificate of a PEM file.
  fileprivate init(file: String) throws {
    let found = try X509.Certificate(file: file)
    self.init(
      subject: "\(found.subject)",
      validUntil: Int64(found.notValidAfter.timeIntervalSince1970 * 1_000)
    )
  }
}

/// Verifying, exporting and importing as the commands do it, within the server.
private struct ServedTransfer: Sendable {
  let services: StoredServices
  let access: AccessControl
  let folder: URL

  init(services: StoredServices, access: AccessControl, root: String) {
    self.services = services
    self.access = access
    folder = URL(fileURLWithPath: root, isDirectory: true).appendingPathComponent("exports")
  }

  private var permit: AdministratorPermit { access.administratorPermit(reason: "console") }

  func verify(_ sample: Int?, _ tell: ConsoleOperations.Tell) throws -> String {
    let scope = StorageCheckScope(permit: permit, sample: sample)
    let found = try services.verify(scope, tell: tell)
    let verdict =
      found.differences == 0 ? "no differences" : found.differences.counting("difference")
    return "\(found.counts.map(\.text).joined(separator: ", ")): \(verdict)"
  }

  func export(
    _ id: DatabaseID,
    _ kinds: [String],
    to name: String,
    _ tell: ConsoleOperations.Tell
  ) throws -> String {
    let target = folder.appendingPathComponent(name)
    guard !FileManager.default.fileExists(atPath: target.path) else {
      throw ServiceError(.alreadyExists, "An export \(name) already exists.")
    }
    var counts: [String] = []
    var manifest = ExportManifest(of: DatabaseLabel(id))
    let scope = StorageScope(permit: permit, database: id)
    // Documents are in the folder itself, which is empty when they come.
    for kind in Self.first(TransferForm.rootKind, of: kinds) {
      let sink = try TransferForm(kind: kind).makeSink(Self.path(of: kind, in: target))
      // Until it is written again, it says that the export is not whole.
      if manifest.kinds.isEmpty { try manifest.write(to: target.path) }
      let count = try services.exportItems(of: kind, scope: scope) { event in
        if case .omission(let text, _) = event { manifest.omissions.append(text) }
        try tell(event)
      } item: {
        try sink.take($0.bytes, of: $0.file)
      }
      try sink.close()
      manifest.kinds.append(.init(kind: kind, lines: sink.lineCount, isSealed: false))
      counts.append(count.text)
    }
    manifest.isComplete = true
    try manifest.write(to: target.path)
    let gaps = manifest.omissions.map { " Not exported: \($0)" }.joined()
    return counts.joined(separator: ", ") + (gaps.isEmpty ? "" : "." + gaps)
  }

  func restore(
    _ id: DatabaseID,
    _ kinds: [String],
    from name: String,
    _ tell: ConsoleOperations.Tell
  ) throws -> String {
    let source = folder.appendingPathComponent(name)
    guard FileManager.default.fileExists(atPath: source.path) else {
      throw ServiceError(.notFound, "There is no export \(name).")
    }
    var counts: [String] = []
    let manifest = try ExportManifest.read(from: source.path)
    if manifest?.isComplete == false { try tell(.difference(ImportRun.notWhole)) }
    for kind in Self.first(ImportRun.firstKind, of: kinds) {
      let path = Self.path(of: kind, in: source)
      let form = TransferForm(kind: kind, into: DatabaseLabel(id))
      let items = try form.makeSource(path, below: folder.path, mayBeEmpty: true)
      guard let items else { continue }
      let scope = StorageScope(permit: permit, database: id)
      let next: () throws -> [UInt8]? = {
        try tell(.progress(done: items.bytesRead, total: items.bytesTotal, unit: "byte"))
        return try items.next()
      }
      let count = try services.importItems(of: kind, scope: scope, next: next, tell: tell)
      for drop in items.drops { try tell(.difference("\(kind): \(drop)")) }
      let missing = (manifest?.lines(of: kind) ?? 0) - items.lineCount
      if missing > 0 {
        try tell(.difference("\(kind): \(missing.counting("line")) of the export missing"))
      }
      counts.append(count.text)
    }
    return counts.joined(separator: ", ")
  }

  func exports() throws -> [ConsoleOperations.Export] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    let keys: Set<URLResourceKey> = [.contentModificationDateKey]
    let found = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: Array(keys)
    )
    return try found.map { url in
      let changed = try url.resourceValues(forKeys: keys).contentModificationDate ?? .distantPast
      return ConsoleOperations.Export(
        name: url.lastPathComponent,
        bytes: try Self.size(of: url),
        time: Int64(changed.timeIntervalSince1970 * 1_000)
      )
    }
    .sorted { $0.time > $1.time }
  }

  /// The kinds, that one before the others.
  private static func first(_ kind: String, of kinds: [String]) -> [String] {
    kinds.filter { $0 == kind } + kinds.filter { $0 != kind }
  }

  /// Returns the path of a kind of data in an export: documents are in the folder itself, others in
  /// folders of their own.
  private static func path(of kind: String, in folder: URL) -> String {
    kind == TransferForm.rootKind ? folder.path : folder.appendingPathComponent(kind).path
  }

  private static func size(of folder: URL) throws -> Int {
    let found = FileManager.default.enumerator(
      at: folder,
      includingPropertiesForKeys: [.fileSizeKey]
    )
    var size = 0
    while let url = found?.nextObject() as? URL {
      size += try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    return size
  }
}
