import FirebaseCore
import Foundation

// The calls with one request and one response.

extension StorageReference {
  /// Returns a URL with which anyone can read the object.
  public func downloadURL() async throws -> URL {
    let metadata = try await getMetadata()
    let backend = storage.backend
    guard let token = metadata.served.downloadTokens.first else {
      throw StorageError.internalError(message: "The object \(fullPath) has no download token.")
        .object
    }
    let request = try backend.request("GET", fullPath, query: [("alt", "media"), ("token", token)])
    guard let url = request.url else {
      throw StorageError.internalError(message: "The object \(fullPath) has no URL.").object
    }
    return url
  }

  /// Fetches the object's metadata.
  public func getMetadata() async throws -> StorageMetadata {
    try served(by: try await send("GET"))
  }

  /// Changes the object's metadata: only the members that changed since the metadata came from the
  /// server, nil for those to remove.
  @discardableResult
  public func updateMetadata(_ metadata: StorageMetadata) async throws -> StorageMetadata {
    let body = try JSONSerialization.data(withJSONObject: metadata.changes)
    return try served(by: try await send("PATCH", body: body))
  }

  private func served(by answer: HTTPAnswer) throws -> StorageMetadata {
    do { return try StorageMetadata(answer) } catch { throw StorageError(error).object }
  }

  /// Deletes the object.
  public func delete() async throws {
    _ = try await send("DELETE")
  }

  /// All that is directly below.
  public func listAll() async throws -> StorageListResult {
    var (prefixes, items): ([StorageReference], [StorageReference]) = ([], [])
    var token: String?
    repeat {
      let page = try await page(maxResults: nil, token)
      prefixes += page.prefixes
      items += page.items
      token = page.pageToken
    } while token != nil
    return StorageListResult(prefixes: prefixes, items: items, pageToken: nil)
  }

  /// The first items directly below: 1 to 1,000.
  public func list(maxResults: Int64) async throws -> StorageListResult {
    try await page(maxResults: maxResults, nil)
  }

  /// The next items directly below: 1 to 1,000, after an earlier page.
  public func list(maxResults: Int64, pageToken: String) async throws -> StorageListResult {
    try await page(maxResults: maxResults, pageToken)
  }

  private struct Page: Decodable {
    struct Item: Decodable { let name: String }
    let prefixes: [String]?
    let items: [Item]?
    let nextPageToken: String?
  }

  private func page(maxResults: Int64?, _ token: String?) async throws -> StorageListResult {
    guard maxResults.map({ (1...1_000).contains($0) }) ?? true else {
      throw StorageError.invalidArgument(
        message: "maxResults must be between 1 and 1000 inclusive."
      ).object
    }
    var query = [("prefix", fullPath.isEmpty ? "" : "\(fullPath)/"), ("delimiter", "/")]
    if let maxResults { query.append(("maxResults", String(maxResults))) }
    if let token { query.append(("pageToken", token)) }
    let answer = try await listAnswer(query)
    guard let page = try? JSONDecoder().decode(Page.self, from: answer.body) else {
      throw StorageError.internalError(message: "The server's list can't be read.").object
    }
    let root = root()
    return StorageListResult(
      prefixes: (page.prefixes ?? []).map { root.child($0) },
      items: (page.items ?? []).map { root.child($0.name) },
      pageToken: page.nextPageToken
    )
  }

  private func listAnswer(_ query: [(String, String)]) async throws -> HTTPAnswer {
    do {
      let backend = storage.backend
      return try await backend.send(
        try backend.request("GET", query: query),
        object: fullPath,
        for: storage.maxOperationRetryTime
      )
    } catch {
      throw StorageError(error).object
    }
  }

  /// Sends a request for the object, which the bucket itself is not.
  private func send(_ method: String, body: Data? = nil) async throws -> HTTPAnswer {
    try checkIsObject()
    do {
      let backend = storage.backend
      var request = try backend.request(method, fullPath)
      if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
      return try await backend.send(
        request,
        body: body,
        object: fullPath,
        for: storage.maxOperationRetryTime
      )
    } catch {
      throw StorageError(error).object
    }
  }

  func checkIsObject() throws {
    guard !fullPath.isEmpty else {
      throw StorageError.invalidArgument(
        message: "The root of the bucket \(bucket) is not an object."
      )
      .object
    }
  }
}
