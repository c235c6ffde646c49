import BaseText
import NIOCore
import NIOPosix
import ObjectStorage
import StorageWire

/// Blobs in a bucket of a server with the protocol of S3.
///
/// LAYOUT
///
/// - `{prefix}finished/{2 digits}/{32 digits}`: a finished blob, by its id in hexadecimal;
/// - `{prefix}unfinished/{32 digits}/{8 digits}`: a segment of an unfinished one, by its number.
///   All but the last have the configured size, so an offset gives the position.
///
/// All bytes that `persist` has confirmed are durable, the last segment included, which is written
/// again when there is more. A blob that is finished within its first segment is one request;
/// otherwise its segments are copied by the server, as the parts of a multipart upload, and
/// removed. A crash leaves segments, which a sweep finds, and at worst parts of a multipart upload:
/// the bucket's own rule for incomplete uploads removes these.
package final class S3BlobStore: BlobStore {
  let client: S3Client

  /// The number of values of the first byte of ids, which names a finished blob's folder.
  package let shardCount = 256

  /// Blobs of that bucket.
  package init(
    _ configuration: S3Configuration,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws {
    client = try S3Client(configuration, group: group)
  }

  /// Ends the connections; nothing may be asked afterwards.
  package func shutdown() async throws { try await client.shutdown() }

  /// Throws unless the bucket is there and the key may list it.
  package func check() async throws {
    _ = try await list(prefix: finishedRoot, delimiter: nil, limit: 1)
  }

  /// Begins a blob; sends no request yet.
  package func begin(_ id: BlobID) async throws -> any BlobWriter { S3BlobWriter(self, id) }

  /// Resumes an unfinished blob, with the bytes of its last segment read into memory.
  ///
  /// Throws `StorageError.corrupt` where the segment is shorter than its progress says.
  package func resume(_ id: BlobID, at progress: BlobProgress) async throws -> any BlobWriter {
    let size = Int64(segmentBytes)
    let full = progress.offset / size
    let rest = progress.offset % size
    guard rest > 0 else { return S3BlobWriter(self, id, segments: Int(full)) }
    let answer = try await get(segment(id, Int(full)), 0..<rest)
    guard answer.count == Int(rest) else {
      throw StorageError(.corrupt, "An unfinished upload has lost bytes.")
    }
    return S3BlobWriter(self, id, segments: Int(full), tail: answer)
  }

  /// Opens a finished blob, with one request for its size.
  package func open(_ id: BlobID) async throws -> any BlobReader {
    let answer = try await client.send(S3Client.Call(method: "HEAD", key: finished(id)))
    guard let size = answer?.contentLength else {
      throw StorageError(.corrupt, "The S3 server did not return a file's size.")
    }
    return S3BlobReader(self, size: size) { [key = finished(id)] _ in (key, 0) }
  }

  /// Opens the persisted segments of an unfinished blob; sends no request yet.
  package func openUnfinished(
    _ id: BlobID,
    _ progress: BlobProgress
  ) async throws -> any BlobReader {
    let size = Int64(segmentBytes)
    return S3BlobReader(self, size: progress.offset) { [self] offset in
      (segment(id, Int(offset / size)), offset / size * size)
    }
  }

  /// Removes the finished blob and all segments of the unfinished one.
  package func remove(_ id: BlobID) async throws {
    try await delete(finished(id))
    try await removeSegments(id)
  }

  /// Lists the finished blobs whose ids begin with that byte.
  package func finishedBlobs(inShard shard: Int) async throws -> [BlobID] {
    let prefix = finishedRoot + Hexadecimal.text([UInt8(truncatingIfNeeded: shard)]) + "/"
    return try await list(prefix: prefix, delimiter: nil).compactMap { key in
      BlobID(hexadecimal: String(key.dropFirst(prefix.utf8.count)))
    }
  }

  /// Lists the blobs that have segments.
  package func unfinishedBlobs() async throws -> [BlobID] {
    try await list(prefix: unfinishedRoot, delimiter: "/").compactMap { key in
      BlobID(hexadecimal: String(key.dropFirst(unfinishedRoot.utf8.count).dropLast()))
    }
  }

  /// Always nil: S3 does not tell the space that is left.
  package func availableBytes() async throws -> Int64? { nil }

  // MARK: Keys

  var segmentBytes: Int { client.configuration.segmentBytes }

  private var finishedRoot: String { client.configuration.prefix + "finished/" }

  private var unfinishedRoot: String { client.configuration.prefix + "unfinished/" }

  func finished(_ id: BlobID) -> String {
    finishedRoot + Hexadecimal.text(id.bytes.prefix(1)) + "/\(id)"
  }

  func segment(_ id: BlobID, _ number: Int) -> String {
    unfinishedRoot + "\(id)/" + String(String(100_000_000 + number).dropFirst())
  }

  // MARK: Requests

  func put(_ key: String, _ bytes: [UInt8]) async throws {
    _ = try await client.send(S3Client.Call(method: "PUT", key: key, body: bytes))
  }

  func get(_ key: String, _ range: Range<Int64>) async throws -> [UInt8] {
    let header = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    let call = S3Client.Call(method: "GET", key: key, headers: ["range": header])
    return try await client.send(call)?.body ?? []
  }

  private func delete(_ key: String) async throws {
    _ = try await client.send(S3Client.Call(method: "DELETE", key: key, mustExist: false))
  }

  func removeSegments(_ id: BlobID) async throws {
    for key in try await list(prefix: unfinishedRoot + "\(id)/", delimiter: nil) {
      try await delete(key)
    }
  }

  /// The keys below a prefix, or with a delimiter what they begin with.
  private func list(
    prefix: String,
    delimiter: String?,
    limit: Int? = nil
  ) async throws -> [String] {
    var keys: [String] = []
    var token: String?
    repeat {
      var parameters = [(name: "list-type", value: "2"), (name: "prefix", value: prefix)]
      if let delimiter { parameters.append((name: "delimiter", value: delimiter)) }
      if let limit { parameters.append((name: "max-keys", value: "\(limit)")) }
      if let token { parameters.append((name: "continuation-token", value: token)) }
      let call = S3Client.Call(method: "GET", parameters: parameters)
      let page = try await Self.document(client.send(call))
      let found = delimiter == nil ? page.all("Contents") : page.all("CommonPrefixes")
      keys += found.compactMap { $0[delimiter == nil ? "Key" : "Prefix"]?.text }
      token = page["IsTruncated"]?.text == "true" ? page["NextContinuationToken"]?.text : nil
    } while token != nil && limit == nil
    return keys
  }

  static func document(_ answer: S3Client.Answer?) throws -> XMLElement {
    do {
      return try XMLReader.read(answer?.body ?? [])
    } catch {
      throw StorageError(
        .unavailable,
        "The S3 server sent an invalid response.",
        cause: error
      )
    }
  }

  // MARK: Multipart uploads

  /// Makes one object of segments; the server copies them.
  func join(_ count: Int, of id: BlobID) async throws {
    let key = finished(id)
    let begun = try await client.send(
      S3Client.Call(method: "POST", key: key, parameters: [(name: "uploads", value: "")])
    )
    guard let upload = try Self.document(begun)["UploadId"]?.text else {
      throw StorageError(.unavailable, "The S3 server did not start an upload.")
    }
    do {
      var parts: [XMLElement] = []
      for number in 0..<count { parts.append(try await copy(number, of: id, to: key, upload)) }
      let list = XMLElement("CompleteMultipartUpload", parts).document()
      let done = try await client.send(
        S3Client.Call(
          method: "POST",
          key: key,
          parameters: [(name: "uploadId", value: upload)],
          body: Array(list.utf8)
        )
      )
      // A response that began well may still tell of a failure.
      guard try Self.document(done).name == "CompleteMultipartUploadResult" else {
        throw StorageError(.unavailable, "The S3 server did not complete an upload.")
      }
    } catch {
      try await abort(upload, key)
      throw error
    }
  }

  private func copy(
    _ number: Int,
    of id: BlobID,
    to key: String,
    _ upload: String
  ) async throws -> XMLElement {
    let source = "/\(client.configuration.bucket)/\(segment(id, number))"
    let copied = try await client.send(
      S3Client.Call(
        method: "PUT",
        key: key,
        parameters: [
          (name: "partNumber", value: "\(number + 1)"), (name: "uploadId", value: upload),
        ],
        headers: ["x-amz-copy-source": source]
      )
    )
    guard let tag = try Self.document(copied)["ETag"]?.text else {
      throw StorageError(.unavailable, "The S3 server did not copy a part.")
    }
    return XMLElement("Part", [XMLElement("PartNumber", "\(number + 1)"), XMLElement("ETag", tag)])
  }

  private func abort(_ upload: String, _ key: String) async throws {
    _ = try await client.send(
      S3Client.Call(
        method: "DELETE",
        key: key,
        parameters: [(name: "uploadId", value: upload)],
        mustExist: false
      )
    )
  }
}
