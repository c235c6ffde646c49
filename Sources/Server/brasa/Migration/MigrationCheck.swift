import BaseStatus
import Crypto
import DocumentCodec
import FirestoreModel
import Foundation

/// The comparison at the end of a migration: the documents' number and digest by the id of their collection.
///
/// A digest is the sum of those of the documents, so that their order does not matter.
struct MigrationCheck {
  struct Sum: Equatable {
    var count = 0
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    mutating func add(_ path: String, _ fields: [UInt8]) {
      count += 1
      var hash = SHA256()
      hash.update(data: Array(path.utf8) + [0])
      hash.update(data: fields)
      let bytes = Array(hash.finalize())
      low &+= bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      high &+= bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private var sums: [String: Sum] = [:]

  /// Adds a document as a `Document` message.
  mutating func add(_ message: [UInt8]) throws {
    let (name, fields) = try message.withUnsafeBytes { try DocumentCodec.split(document: $0) }
    let document = try DocumentName(parsing: name)
    let checked = try DocumentCodec.validate(fields, name: document)
    // Maps come out sorted, however the server spelled them.
    let spelled = DocumentFields(encoding: checked.decoded()).bytes
    let path = document.path.string
    let parts = path.split(separator: "/")
    guard parts.count >= 2 else { return }
    sums[String(parts[parts.count - 2]), default: Sum()].add(path, spelled)
  }

  /// A line for each collection that differs.
  func differences(from other: MigrationCheck) -> [String] {
    Set(sums.keys).union(other.sums.keys).sorted().compactMap { id in
      let (left, right) = (sums[id] ?? Sum(), other.sums[id] ?? Sum())
      guard left != right else { return nil }
      return left.count == right.count
        ? "\(id): \(left.count.counting("document")) on both sides, with other contents"
        : "\(id): \(left.count.counting("document")) at the source, \(right.count) here"
    }
  }

  var count: Int { sums.values.reduce(0) { $0 + $1.count } }
}

extension DocumentCopy {
  /// Compares the source with the target as both are now.
  func compare() async throws -> (count: Int, differences: [String]) {
    var atSource = MigrationCheck()
    let references = ReferenceMove(to: target.label)
    let request = SourceQueries.documents(
      of: database,
      after: nil,
      includesAfter: false,
      end: nil,
      readTime: nil
    )
    // A source that can't be read is told at once, without waiting for the target's sums.
    let here = Task { [target] in try await target.sum() }
    try await source.firestore().call("RunQuery", request, of: database) { message in
      guard let change = try SourceQueries.Result(message).change, let document = change.document
      else { return }
      try atSource.add(try references.moved(document, named: change.name))
    }
    return (atSource.count, atSource.differences(from: try await here.value))
  }
}
