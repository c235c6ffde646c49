import BaseJSON
import FirestoreWire
import Foundation
import StorageAPI

/// The copy of a project's buckets with the current versions of their objects, noted object by object.
struct FileCopy: Sendable {
  let source: SourceServer
  let target: MigrationTarget
  let state: MigrationState

  /// Copies the objects that are not copied yet; returns their number, and the reasons of dropped
  /// ones.
  func run() async throws -> (count: Int, drops: [String]) {
    var buckets: [String] = []
    try await source.list(.storage, "/storage/v1/b?project=\(source.project)", "items") { bucket in
      if let name = bucket["name"]?.string { buckets.append(name) }
    }
    var count = 0
    var drops: [String] = []
    for bucket in buckets {
      let escaped = Self.escaped(bucket)
      let last = await state.plan.objects[bucket]
      let start = last.map { "&startOffset=\(Self.escaped($0))" } ?? ""
      let line = FileItem.line(JSONValue.object(["bucket": .string(bucket)]).compactBytes).encoded
      let request = AdministrationRequest.import(
        kind: TransferForm.filesKind,
        database: target.label
      )
      drops += try await target.perform(request, [line]).drops
      try await source.list(.storage, "/storage/v1/b/\(escaped)/o?maxResults=500\(start)", "items")
      { object in
        guard let name = object["name"]?.string, name != last else { return }
        count += 1
        drops += try await copy(object, name, bucket, request, line)
        try await state.change { $0.objects[bucket] = name }
      }
    }
    return (count, drops)
  }

  /// Copies an object by a file on this machine's disk, which its request reads.
  private func copy(
    _ object: JSONValue,
    _ name: String,
    _ bucket: String,
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
    let line = JSONValue.object([
      "object": object, "content": .string("source"), "created": .integer(created),
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
