import BaseStatus
import Checksums
import DocumentCodec
import FirestoreModel
import Foundation
import StorageAPI

/// The server that a migration copies to, by its control socket.
struct MigrationTarget: Sendable {
  let data: DataOptions
  let label: DatabaseLabel
  let log: MigrationLog
  private let queue = DispatchQueue(label: "migration", attributes: .concurrent)

  /// The outcome of a request that stores items.
  struct Outcome: Sendable {
    var stored = 0
    var skipped = 0
    var drops: [String] = []
    var lines: [String] = []
  }

  init(data: DataOptions, label: DatabaseLabel, log: MigrationLog) {
    self.data = data
    self.label = label
    self.log = log
  }

  /// Throws if no server runs on the directory: each batch would open it again.
  func checkServer() throws {
    guard try RemoteAdministration(directory: data.directory) != nil else {
      throw CommandFailure(
        "No server uses \(data.directory). Start it first: brasa serve --data \(data.directory)"
      )
    }
  }

  /// Creates the database where it is not there; the first use makes the default one.
  func makeDatabase() async throws {
    guard label.database != DatabaseLabel.defaultDatabase else { return }
    do {
      _ = try await perform(.createDatabase(label))
    } catch ControlError.refused(let code, _) where code == StatusCode.alreadyExists.rawValue {}
  }

  /// Does a request off the threads of tasks.
  func perform(
    _ request: AdministrationRequest,
    _ items: [[UInt8]] = []
  ) async throws -> Outcome {
    try await blocking { try work(request, items) }
  }

  private func work(_ request: AdministrationRequest, _ items: [[UInt8]]) throws -> Outcome {
    var left = items[...]
    var outcome = Outcome()
    try data.perform(
      request,
      input: { left.popFirst() },
      output: { reply in
        switch reply {
        case .difference(let text): outcome.drops.append(text)
        case .counted(let stored, let skipped):
          outcome.stored += stored
          outcome.skipped += skipped
        case .line(let text): outcome.lines.append(text)
        case .finished, .progress, .item, .omission, .failed: break
        }
      }
    )
    return outcome
  }

  /// Stores documents, and deletes others.
  func store(_ changes: [DocumentChange]) async throws -> [String] {
    var drops: [String] = []
    let references = ReferenceMove(to: label)
    var messages: [[UInt8]] = []
    for change in changes {
      guard let document = change.document else { continue }
      do {
        messages.append(try Self.request(document, change.name, references))
      } catch let error as ServiceError where error.code == .invalidArgument {
        drops.append("\(change.name): \(error.message)")
      }
    }
    if !messages.isEmpty {
      drops += try await perform(.import(kind: TransferForm.rootKind, database: label), messages)
        .drops
    }
    let deleted = changes.filter { $0.document == nil }.map { Array($0.name.utf8) }
    if !deleted.isEmpty { drops += try await perform(.deleteDocuments(label), deleted).drops }
    return drops
  }

  /// The `UpdateDocumentRequest` of a `Document` message, its references moved where the database is another one.
  static func request(
    _ document: [UInt8],
    _ name: String,
    _ references: ReferenceMove
  ) throws -> [UInt8] {
    let document = try references.moved(document, named: name)
    var request = ProtobufWriter(capacity: document.count + 16)
    request.content(1, document)
    return request.bytes
  }
}

/// A document as the source has it.
struct DocumentChange: Sendable {
  let name: String
  /// The `Document` message; nil for one that was deleted.
  let document: [UInt8]?

  /// Reads a `Document` message.
  init(_ message: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(message)
    var name = ""
    while let field = try reader.nextField() {
      if field == 1 { name = try reader.string() } else { try reader.skip() }
    }
    self.name = name
    document = Array(message)
  }

  /// A deletion.
  init(deleted name: String) {
    self.name = name
    document = nil
  }

  /// The id of the document's collection.
  var group: String? {
    let parts = name.split(separator: "/")
    return parts.count >= 7 ? String(parts[parts.count - 2]) : nil
  }
}

extension MigrationTarget {
  /// Stores an object whose bytes are in a file.
  func perform(
    _ request: AdministrationRequest,
    _ items: [[UInt8]],
    then file: URL
  ) async throws -> [String] {
    try await blocking {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      var left = items[...]
      var crc = CRC32C()
      var isDone = false
      var drops: [String] = []
      try data.perform(
        request,
        input: {
          if let item = left.popFirst() { return item }
          if isDone { return nil }
          guard let part = try handle.read(upToCount: 1 << 20), !part.isEmpty else {
            isDone = true
            return FileItem.end(crc32c: crc.value).encoded
          }
          crc.update(Array(part))
          return FileItem.bytes(Array(part)).encoded
        },
        output: { if case .difference(let text) = $0 { drops.append(text) } }
      )
      return drops
    }
  }

  /// The sums of the documents that are here.
  func sum() async throws -> MigrationCheck {
    try await blocking {
      var check = MigrationCheck()
      try data.perform(.export(kind: TransferForm.rootKind, database: label)) { reply in
        if case .item(_, let bytes) = reply { try check.add(bytes) }
      }
      return check
    }
  }

  private func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
