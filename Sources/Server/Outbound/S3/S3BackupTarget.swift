import Backup
import Foundation
import NIOCore
import NIOPosix
import ObjectStorage
import StorageWire
import Synchronization

/// A backup in a bucket of a server with the protocol of S3: an object is a key below the prefix.
///
/// `owner` names the process that ships. A bucket has no locks: a process looks at `owner` before it writes an object that
/// may not be there yet, and stops where another process has taken the target since.
package final class S3BackupTarget: BackupTarget {
  /// The address as an operator wrote it.
  package let address: String
  /// Short enough for a second from a commit to its segment.
  package let pause = Duration.milliseconds(500)
  private let client: S3Client
  private let run: String
  private let isClaimed = Mutex(false)

  private static let owner = "owner"

  /// A target below the prefix of a bucket, which exists.
  package init(
    _ configuration: S3Configuration,
    address: String,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws {
    self.address = address
    client = try S3Client(configuration, group: group)
    run = UUID().uuidString
  }

  private func key(_ name: String) -> String { client.configuration.prefix + name }

  /// Writes `owner` at the first claim; later claims throw where another process has.
  package func claim() async throws {
    guard !isClaimed.withLock({ $0 }) else { return try await checkOwner() }
    try await call { try await $0.put(key(Self.owner), Array(run.utf8)) }
    isClaimed.withLock { $0 = true }
  }

  /// Ends the connections.
  package func release() async { try? await client.shutdown() }

  private func checkOwner() async throws {
    guard let found = try await get(Self.owner), found != Array(run.utf8) else { return }
    throw BackupError(
      .refused,
      "Another process backs up to \(address). Choose another target with --backup, or stop that process."
    )
  }

  /// Puts the object; one that must not be there is looked for first, as is `owner`.
  package func put(_ name: String, _ bytes: [UInt8], replacing: Bool) async throws {
    if !replacing {
      try await checkOwner()
      if let found = try await get(name) {
        guard found == bytes else {
          throw BackupError(
            .refused,
            "\(name) already exists: another server backs up to \(address)."
          )
        }
        return
      }
    }
    try await call { try await $0.put(key(name), bytes) }
  }

  /// The object's bytes; nil where there is none.
  package func get(_ name: String) async throws -> [UInt8]? {
    try await call { client in
      let call = S3Client.Call(method: "GET", key: key(name), mustExist: false)
      return try await client.send(call)?.body
    }
  }

  /// Lists the keys below the prefix, page by page.
  package func list(_ prefix: String) async throws -> [BackupEntry] {
    let start = client.configuration.prefix.utf8.count
    let found = try await call { try await $0.list(below: key(prefix)) }
    return found.compactMap { item in
      guard let key = item["Key"]?.text, let time = item["LastModified"]?.text else { return nil }
      let name = String(decoding: key.utf8.dropFirst(start), as: UTF8.self)
      let date = try? Date(
        time,
        strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true)
      )
      let whole = date ?? (try? Date(time, strategy: .iso8601))
      return BackupEntry(name: name, modified: Int64((whole ?? .now).timeIntervalSince1970))
    }
  }

  /// Removes the object; one that is not there is no error.
  package func remove(_ name: String) async throws {
    try await call { client in
      _ = try await client.send(
        S3Client.Call(method: "DELETE", key: key(name), mustExist: false)
      )
    }
  }

  /// Makes a call, whose failure is the backup's.
  private func call<R>(_ body: (S3Client) async throws -> R) async throws -> R {
    do {
      return try await body(client)
    } catch let error as StorageError {
      let reason = error.cause.map { ": \($0)" } ?? ""
      throw BackupError(
        .unavailable,
        "The backup's bucket \(address) fails. \(error.message)\(reason)"
      )
    }
  }
}

extension S3Client {
  /// Keeps an object.
  func put(_ key: String, _ bytes: [UInt8]) async throws {
    _ = try await send(Call(method: "PUT", key: key, body: bytes))
  }

  /// The entries of all keys that begin with a prefix, in their order.
  func list(below prefix: String) async throws -> [XMLElement] {
    var entries: [XMLElement] = []
    var token: String?
    repeat {
      var parameters = [(name: "list-type", value: "2"), (name: "prefix", value: prefix)]
      if let token { parameters.append((name: "continuation-token", value: token)) }
      let page = try await S3BlobStore.document(send(Call(method: "GET", parameters: parameters)))
      entries += page.all("Contents")
      token = page["IsTruncated"]?.text == "true" ? page["NextContinuationToken"]?.text : nil
    } while token != nil
    return entries
  }
}
