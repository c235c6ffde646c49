import BaseStatus
import Crypto
import Foundation
import Synchronization

/// Sources that clients upload before they deploy functions from them.
///
/// An upload has a name, for deployments of its project's functions, and a token. Any holder of the
/// token may send the bytes, as with Google's signed URLs. Both end after an hour. Files are
/// `uploads/NAME.zip`; those of an earlier process are removed. Any thread may call; calls block
/// for files.
package final class SourceUploads: Sendable {
  /// A place for a source.
  package struct Ticket: Sendable, Hashable {
    /// The name of the upload.
    package let name: String
    /// The secret that the upload takes.
    package let token: String

    /// A ticket as a client shows it.
    package init(name: String, token: String) {
      self.name = name
      self.token = token
    }
  }

  private struct Upload {
    let project: String
    /// The token itself is the client's alone; equality of digests takes the same time whatever differs.
    let tokenDigest: SHA256Digest
    let issued: Double
    var isWhole = false
  }

  /// The largest archive, as at Google.
  package static let mostBytes = 100 << 20
  /// Seconds for which an upload counts.
  package static let lifetime = 3_600.0
  /// The most uploads of one project; the oldest goes where another comes.
  package static let mostOfProject = 8
  /// The most uploads of all projects.
  package static let most = 32

  private let folder: String
  private let now: @Sendable () -> Double
  private let uploads = Mutex<[String: Upload]>([:])

  /// Uploads below a folder, which is emptied.
  package init(folder: String, now: @escaping @Sendable () -> Double) throws {
    self.folder = folder
    self.now = now
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  /// Makes room for a source of a project; RESOURCE_EXHAUSTED where other projects have it all.
  package func issue(to project: String) throws(ServiceError) -> Ticket {
    sweep()
    let ticket = Ticket(name: Self.random(), token: Self.random())
    let oldest = try uploads.withLock { uploads throws(ServiceError) -> String? in
      let own = uploads.filter { $0.value.project == project }
      let isFull = own.count >= Self.mostOfProject
      guard isFull || uploads.count < Self.most else {
        throw ServiceError(
          .resourceExhausted,
          "Too many uploaded sources are pending. Try again in an hour."
        )
      }
      let oldest = isFull ? own.min { $0.value.issued < $1.value.issued }?.key : nil
      if let oldest { uploads[oldest] = nil }
      uploads[ticket.name] = Upload(
        project: project,
        tokenDigest: Self.digest(ticket.token),
        issued: now()
      )
      return oldest
    }
    if let oldest { remove(oldest) }
    return ticket
  }

  private static func digest(_ token: String) -> SHA256Digest {
    SHA256.hash(data: Data(token.utf8))
  }

  private static func random() -> String {
    (0..<4).map { _ in
      let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Takes an archive in parts for the holder of its ticket; PERMISSION_DENIED to all others.
  package func receive(
    _ ticket: Ticket,
    _ parts: some AsyncSequence<[UInt8], any Error> & Sendable
  ) async throws {
    let upload = uploads.withLock { $0[ticket.name] }
    guard let upload, upload.tokenDigest == Self.digest(ticket.token), isCurrent(upload) else {
      throw ServiceError(.permissionDenied, "The upload has ended. Ask for another URL.")
    }
    let temporary = "\(folder)/\(Self.random()).part"
    guard FileManager.default.createFile(atPath: temporary, contents: nil) else {
      throw ServiceError(.unavailable, "The source can't be written. Is the disk full?")
    }
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: temporary))
    defer { try? file.close() }
    var count = 0
    for try await part in parts {
      count += part.count
      guard count <= Self.mostBytes else {
        throw ServiceError.invalidArgument(
          "The source has more than \(Self.mostBytes >> 20) MB. Remove what it doesn't need."
        )
      }
      try file.write(contentsOf: part)
    }
    try file.close()
    try uploads.withLock { uploads in
      guard uploads[ticket.name] != nil else {
        throw ServiceError(.permissionDenied, "The upload has ended. Ask for another URL.")
      }
      try? FileManager.default.removeItem(atPath: path(ticket.name))
      try FileManager.default.moveItem(atPath: temporary, toPath: path(ticket.name))
      uploads[ticket.name]?.isWhole = true
    }
  }

  /// The bytes of an upload of a project; FAILED_PRECONDITION where they did not come.
  package func archive(_ name: String, of project: String) throws -> [UInt8] {
    try uploads.withLock { uploads in
      guard let upload = uploads[name], upload.project == project, isCurrent(upload),
        upload.isWhole
      else {
        throw ServiceError(
          .failedPrecondition,
          "The source was not uploaded, or more than an hour ago. Deploy again."
        )
      }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
  }

  /// Removes the uploads whose time is over.
  package func sweep() {
    let over = uploads.withLock { uploads in
      let over = uploads.filter { !isCurrent($0.value) }.map(\.key)
      for name in over { uploads[name] = nil }
      return over
    }
    for name in over { remove(name) }
  }

  private func isCurrent(_ upload: Upload) -> Bool { now() - upload.issued < Self.lifetime }

  private func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

  private func path(_ name: String) -> String { "\(folder)/\(name).zip" }
}
