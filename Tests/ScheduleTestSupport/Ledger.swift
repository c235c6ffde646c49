import FirestoreCache
import FirestoreModel
import FirestoreSync
import Foundation

/// The writes of a process that is going to be killed and of its server, in a file that outlives
/// it.
///
/// A line an entry: its kind (A accepted by a queue, J decided by the server, O another writer's),
/// user, batch, and the writes in Base64. A line without its end is an entry that no one had
/// received.
package final class Ledger {
  /// One entry.
  package enum Entry {
    case accepted(UserID, [Write])
    case given(ModelServer.Label?, [Write])
  }

  private let url: URL
  private let handle: FileHandle

  /// The ledger in a folder, made if there is none.
  package init(folder: URL) throws {
    url = folder.appendingPathComponent("ledger")
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    handle = try FileHandle(forUpdating: url)
    try handle.seekToEnd()
  }

  /// Adds an entry; it is there when this returns, whatever becomes of the process.
  package func add(_ entry: Entry) throws {
    let line =
      switch entry {
      case .accepted(let user, let writes): "A \(user ?? "-") 0 \(Self.text(writes))\n"
      case .given(let label?, let writes):
        "J \(label.user ?? "-") \(label.batch) \(Self.text(writes))\n"
      case .given(nil, let writes): "O - 0 \(Self.text(writes))\n"
      }
    try handle.write(contentsOf: Data(line.utf8))
  }

  /// All entries in their order.
  package func entries(database: DatabaseID) throws -> [Entry] {
    let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return try lines.map { try Self.entry(String($0), database) }
  }

  private static func entry(_ line: String, _ database: DatabaseID) throws -> Entry {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, let batch = BatchID(parts[2]), let bytes = Data(base64Encoded: parts[3])
    else { throw Violation("the ledger has a line that is none") }
    let writes = try bytes.withUnsafeBytes {
      try BatchCodec.decode($0, id: batch, database: database).writes
    }
    let user: UserID = parts[1] == "-" ? nil : parts[1]
    switch parts[0] {
    case "A": return .accepted(user, writes)
    case "J": return .given(ModelServer.Label(client: 0, user: user, batch: batch), writes)
    default: return .given(nil, writes)
    }
  }

  private static func text(_ writes: [Write]) -> String {
    let batch = MutationBatch(
      id: 0,
      localWriteTime: Timestamp(microseconds: 0),
      baseWrites: [],
      writes: writes
    )
    return Data(BatchCodec.encode(batch)).base64EncodedString()
  }
}
