import BaseJSON
import BaseStatus
import FirestoreWire
import Foundation
import StorageAPI

/// The copy of a project's buckets with the current versions of their objects, noted object by object.
struct FileCopy: Sendable {
  let source: SourceServer
  let target: MigrationTarget
  let state: MigrationState
  /// The names here of buckets whose names differ, by their names at the source.
  var names: [String: String] = [:]

  /// Copies the objects that are not copied yet; returns their number, and the reasons of dropped
  /// ones.
  func run() async throws -> (count: Int, drops: [String]) {
    var buckets: [(name: String, json: JSONValue)] = []
    try await source.list(.storage, "/storage/v1/b?project=\(source.project)", "items") { bucket in
      if let name = bucket["name"]?.string { buckets.append((name, bucket)) }
    }
    var count = 0
    var drops: [String] = []
    for unknown in names.keys.sorted() where !buckets.contains(where: { $0.name == unknown }) {
      throw CommandFailure("The source has no bucket \(unknown).")
    }
    for (bucket, json) in buckets {
      let escaped = Self.escaped(bucket)
      let last = await state.plan.objects[bucket]
      let start = last.map { "&startOffset=\(Self.escaped($0))" } ?? ""
      let here = names[bucket] ?? bucket
      let line = FileItem.line(JSONValue.object(["bucket": .string(here)]).compactBytes).encoded
      let request = AdministrationRequest.import(
        kind: TransferForm.filesKind,
        database: target.label
      )
      do {
        drops += try await make(here, json, request, line)
      } catch ControlError.refused(_, let message) {
        // Its name is taken, or none that a bucket may have.
        drops.append(
          "\(bucket) with all its files: \(message) Choose another name: --bucket \(bucket)=NAME"
        )
        continue
      }
      try await source.list(.storage, "/storage/v1/b/\(escaped)/o?maxResults=500\(start)", "items")
      { object in
        guard let name = object["name"]?.string, name != last else { return }
        count += 1
        drops += try await copy(object, name, from: bucket, to: here, request, line)
        try await state.change { $0.objects[bucket] = name }
      }
    }
    return (count, drops)
  }

  /// Makes a bucket with the settings that it has at the source, or without those that are refused here.
  private func make(
    _ bucket: String,
    _ json: JSONValue,
    _ request: AdministrationRequest,
    _ line: [UInt8]
  ) async throws -> [String] {
    let settings = (json.members ?? []).filter { Self.settings.contains($0.key) }
    guard !settings.isEmpty else {
      try await makeWithoutSettings(request, line)
      return []
    }
    let whole = JSONValue.object(["bucket": .string(bucket), "settings": .object(settings)])
    let refusal: String
    do {
      let drops = try await target.perform(request, [FileItem.line(whole.compactBytes).encoded])
        .drops
      guard let first = drops.first else { return [] }
      refusal = first
    } catch ControlError.refused(_, let message) {
      refusal = message
    }
    try await makeWithoutSettings(request, line)
    return ["settings of \(bucket): \(refusal)"]
  }

  /// Makes a bucket as it is by itself: what is refused then is the bucket.
  private func makeWithoutSettings(
    _ request: AdministrationRequest,
    _ line: [UInt8]
  ) async throws {
    guard let refusal = try await target.perform(request, [line]).drops.first else { return }
    throw ControlError.refused(code: StatusCode.alreadyExists.rawValue, message: refusal)
  }

  /// The members of a bucket that are copied.
  private static let settings: Set<String> = ["cors", "lifecycle", "versioning"]

  /// Copies an object by a file on this machine's disk, which its request reads.
  private func copy(
    _ object: JSONValue,
    _ name: String,
    from bucket: String,
    to here: String,
    _ request: AdministrationRequest,
    _ bucketLine: [UInt8]
  ) async throws -> [String] {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("brasa-migration-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let generation = object["generation"]?.string ?? "\(object["generation"]?.integer ?? 0)"
    let path =
      "/storage/v1/b/\(Self.escaped(bucket))/o/\(Self.escaped(name))?alt=media&generation=\(generation)"
    let answer = try await source.open(.storage, path)
    if answer.status == 404 { return [] }
    guard answer.status == 200 else {
      let reason = try await SourceServer.text(of: answer.body).prefix(200)
      return ["\(bucket)/\(name): the source refuses it (\(answer.status)): \(reason)"]
    }
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw CommandFailure("\(file.path) can't be written.")
    }
    let handle = try FileHandle(forWritingTo: file)
    for try await part in answer.body { try handle.write(contentsOf: Data(part)) }
    try handle.close()
    let created = Self.time(object["timeCreated"]) ?? 0
    var members = (object.members ?? []).filter { $0.key != "bucket" }
    members.append(.init("bucket", .string(here)))
    let line = JSONValue.object([
      "object": .object(members), "content": .string("source"), "created": .integer(created),
      "updated": .integer(Self.time(object["updated"]) ?? created),
    ])
    return try await target.perform(
      request,
      [bucketLine, FileItem.line(line.compactBytes).encoded],
      then: file
    )
  }

  private static func time(_ json: JSONValue?) -> Int64? {
    json?.string.flatMap(TimestampText.parse)?.microseconds
  }

  private static func escaped(_ text: String) -> String {
    let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))
      .union(CharacterSet(charactersIn: "-._~"))
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
  }
}
