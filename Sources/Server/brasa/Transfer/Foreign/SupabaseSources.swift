import ArgumentParser
import BaseJSON
import ForeignExports
import Foundation

extension ImportRun {
  /// Reads a dump of Supabase's, or a folder with files of one: accounts and documents.
  mutating func readSupabase(_ source: String, schemas: Set<String>) throws {
    let meter = ByteMeter()
    let export = try SupabaseExport(try Self.files(source, meter), schemas: schemas)
    meter.restart(passes: 3)
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    try take(EmulatorAccounts.kind, SupabaseAccountSource(try export.makeAccounts(now: now), meter))
    let target = ForeignDatabase(project: label.project, database: label.database)
    try take(
      TransferForm.rootKind,
      SupabaseDocumentSource(export.makeDocuments(into: target), meter)
    )
    for (table, count) in export.others.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      guard count > 0, let loss = Self.loss(table) else { continue }
      progress.print("\(table): \(loss)")
      tallies.append(KindTally(kind: "\(table)", dropped: count))
    }
  }

  /// The reason for which a table's rows are lost; nil for tables that only Supabase needs.
  private static func loss(_ table: TableName) -> String? {
    switch ("\(table)", table.schema) {
    case ("auth.users", _), ("auth.identities", _): nil
    case ("auth.mfa_factors", _): "second factors are not read: people set them up again."
    case ("storage.objects", _):
      "the bytes of files are not in a dump: copy them with brasa storage cp -r."
    case (_, let schema) where ours.contains(schema): nil
    default: "rows of this schema are not read: add --schema \(table.schema)."
    }
  }

  /// Schemas in which Supabase keeps its own state.
  private static let ours: Set<String> = [
    "auth", "storage", "realtime", "_realtime", "extensions", "graphql", "graphql_public", "vault",
    "pgsodium", "cron", "net", "supabase_functions", "supabase_migrations", "_analytics",
    "pgbouncer", "_supavisor", "pg_catalog",
  ]

  private static func files(_ source: String, _ meter: ByteMeter) throws -> [SupabaseExport.File] {
    let url = URL(fileURLWithPath: source)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw ValidationError("There is no file or folder at \(source).")
    }
    let root = isFolder.boolValue ? url.resolvingSymlinksInPath() : url.deletingLastPathComponent()
    let names =
      try isFolder.boolValue
      ? FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
      : [url.lastPathComponent]
    let endings = [".sql", ".csv", ".json"]
    let known = names.filter { name in endings.contains { name.lowercased().hasSuffix($0) } }
    guard !known.isEmpty else {
      throw ValidationError("\(source) has no .sql, .csv or .json file of Supabase's.")
    }
    return try known.map { name in
      let place = isFolder.boolValue ? root.appendingPathComponent(name) : url
      meter.total += try place.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      // The operator names only the file, which may be a link; files in a folder may not be links.
      let root = isFolder.boolValue ? root : place
      return SupabaseExport.File(name: name.lowercased() == name ? name : Self.small(name)) {
        let handle = try PlainFile.open(place, below: root)
        return { count in
          let part = Array(try handle.read(upToCount: count) ?? Data())
          meter.count += part.count
          return part
        }
      }
    }
  }

  /// The name with a small ending.
  private static func small(_ name: String) -> String {
    let stem = name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)
    return String(stem) + name.dropFirst(stem.count).lowercased()
  }
}

/// The bytes that were read of files which are read several times.
private final class ByteMeter {
  var count = 0
  var total = 0

  /// Counts from zero, for so many passes over all files.
  func restart(passes: Int) {
    count = 0
    total *= passes
  }
}

/// Rows of tables as documents.
private final class SupabaseDocumentSource: ImportSource {
  private let documents: SupabaseDocuments
  private let meter: ByteMeter
  private let form = TransferForm(kind: TransferForm.rootKind)
  private(set) var lineCount = 0
  private(set) var drops: [String] = []

  init(_ documents: SupabaseDocuments, _ meter: ByteMeter) {
    self.documents = documents
    self.meter = meter
  }

  var bytesRead: Int { meter.count }
  var bytesTotal: Int { meter.total }
  var changes: (count: Int, lines: [String]) { (documents.notes.count, documents.notes.lines) }

  func next() throws -> [UInt8]? {
    while let line = try documents.next() {
      lineCount += 1
      do {
        return try form.item(line)
      } catch {
        guard let reason = ForeignItem.reason(error) else { throw error }
        drops.append("row \(lineCount): \(reason)")
      }
    }
    return nil
  }
}

/// Rows of `auth.users` as accounts.
private final class SupabaseAccountSource: ImportSource {
  private let accounts: SupabaseAccounts
  private let meter: ByteMeter
  private var claimed = ClaimedNames()
  private var hasSentParameters = false
  private(set) var lineCount = 0

  init(_ accounts: SupabaseAccounts, _ meter: ByteMeter) {
    self.accounts = accounts
    self.meter = meter
  }

  var bytesRead: Int { meter.count }
  var bytesTotal: Int { meter.total }
  private(set) var drops: [String] = []

  var changes: (count: Int, lines: [String]) {
    var lines = accounts.notes.lines
    if accounts.deleted > 0 { lines.append("deleted accounts are left out (\(accounts.deleted))") }
    return (accounts.notes.count + accounts.deleted, lines)
  }

  func next() throws -> [UInt8]? {
    if !hasSentParameters {
      hasSentParameters = true
      return PocketBaseRecords.passwordParameters.compactBytes
    }
    while let account = try accounts.next() {
      lineCount += 1
      guard let refusal = claimed.refusal(of: account) else { return account.compactBytes }
      drops.append(refusal)
    }
    return nil
  }
}
