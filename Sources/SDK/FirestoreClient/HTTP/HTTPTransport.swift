import BaseJSON
import BaseText
import DocumentCodec
import FirebaseCore
import FirestoreModel
import FirestoreSync
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Firestore over HTTP: streams as WebChannels, single calls by REST.
package final class HTTPTransport: FirestoreTransport {
  /// The most bytes of the response to a single call.
  private static let greatestAnswer = 128 << 20

  private let url: String
  private let database: DatabaseID
  private let clientHeaders: [(name: String, value: String)]
  private let client = HTTPClient(label: "FirebaseFirestore.network")

  /// A way to a database at a server.
  ///
  /// `url` is scheme, host and port; `clientHeaders` tell the server what program asks.
  package init(url: String, database: DatabaseID, clientHeaders: [(name: String, value: String)]) {
    self.url = url
    self.database = database
    self.clientHeaders = clientHeaders
  }

  /// Cancels all requests and streams; later ones fail at once.
  package func shutDown() { client.shutDown() }

  // MARK: Streams

  private func call(
    _ method: String,
    _ credentials: CallCredentials
  ) -> (
    url: String, headers: [(name: String, value: String)]
  ) {
    var headers = clientHeaders
    headers.append(("Content-Type", "text/plain"))
    headers.append(("google-cloud-resource-prefix", database.path))
    headers.append(("x-goog-request-params", "database=\(PercentEncoding.encode(database.path))"))
    if let token = credentials.token { headers.append(("Authorization", "Bearer \(token)")) }
    return ("\(url)/google.firestore.v1.Firestore/\(method)/channel", headers)
  }

  /// Opens a Listen call as a WebChannel; events come on the transport's queue.
  package func openWatch(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WatchStreamEvent) -> Void
  ) -> any WatchStream {
    let (url, headers) = call("Listen", credentials)
    let messages = ListenMessages(database: database)
    let channel = WebChannel<WatchChange>(
      .init(url: url, database: database, headers: headers),
      client,
      isAnsweredInOrder: false,
      decoding: { try messages.change(&$0) },
      { event in
        switch event {
        case .messages(let changes): receive(.changed(changes))
        case .refused(let target, let failure): receive(.changed(Self.ending(target, failure)))
        case .closed(let failure): receive(.closed(failure))
        }
      }
    )
    return WebChannelWatchStream(channel: channel, messages: messages)
  }

  /// The server's refusal of a target, which is too large to be asked for.
  private static func ending(_ target: Int?, _ failure: FirestoreFailure) -> [WatchChange] {
    guard let target else { return [] }
    let ids = [TargetID(truncatingIfNeeded: target)]
    return [.target(.removed(failure), ids: ids, resumeToken: [], readTime: nil)]
  }

  /// Opens a Write call as a WebChannel; events come on the transport's queue.
  package func openWrite(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WriteStreamEvent) -> Void
  ) -> any WriteStream {
    let (url, headers) = call("Write", credentials)
    let channel = WebChannel<WriteMessages.Response>(
      .init(url: url, database: database, headers: headers),
      client,
      isAnsweredInOrder: true,
      decoding: { try WriteMessages.response(&$0) },
      { event in
        switch event {
        case .messages(let responses): for response in responses { receive(Self.event(response)) }
        case .refused: break
        case .closed(let failure): receive(.closed(failure))
        }
      }
    )
    return WebChannelWriteStream(channel: channel, database: database)
  }

  private static func event(_ response: WriteMessages.Response) -> WriteStreamEvent {
    guard let version = response.commitVersion else {
      return .shaken(token: response.streamToken)
    }
    return .acknowledged(
      token: response.streamToken,
      version: version,
      results: response.results
    )
  }

  // MARK: Single calls

  /// Calls `documents:batchGet`; repeats it once where the connection was lost.
  package func documents(
    _ names: [DocumentName],
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument] {
    var json = JSONWriter()
    json.object { json in
      json.member("documents") { json in
        json.array { json in for name in names { json.string(name.string) } }
      }
    }
    let answer = try await post("\(database.path)/documents:batchGet", json.bytes, credentials)
    return try Self.read(answer) { try RESTAnswers.documents(&$0) }
  }

  /// Calls `documents:commit`, never twice: a lost connection may hide a commit that was made.
  package func commit(
    _ writes: [Write],
    _ credentials: CallCredentials
  ) async throws -> (version: CommitVersion, results: [WriteResult]) {
    var json = JSONWriter()
    json.object { $0.writes(writes) }
    let path = "\(database.path)/documents:commit"
    let answer = try await post(path, json.bytes, credentials, mayRepeat: false)
    return try Self.read(answer) { try RESTAnswers.commit(&$0) }
  }

  /// Calls `runQuery`; repeats it once where the connection was lost.
  package func results(
    _ query: Query,
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument] {
    var json = JSONWriter()
    json.object { json in json.member("structuredQuery") { $0.structuredQuery(query) } }
    let answer = try await post("\(parent(of: query)):runQuery", json.bytes, credentials)
    return try Self.read(answer) { try RESTAnswers.results(&$0) }
  }

  /// Calls `runAggregationQuery`; repeats it once where the connection was lost.
  package func aggregate(
    _ aggregations: [Aggregation],
    over query: Query,
    _ credentials: CallCredentials
  ) async throws -> [Text: Value] {
    var json = JSONWriter()
    json.object { $0.aggregationQuery(aggregations, over: query) }
    let path = "\(parent(of: query)):runAggregationQuery"
    let answer = try await post(path, json.bytes, credentials)
    return try Self.read(answer) { try RESTAnswers.aggregations(&$0) }
  }

  private func parent(of query: Query) -> String {
    ParentName(database: database, path: query.parent).string
  }

  /// Makes a call; one that may be repeated is, once, where its connection was lost.
  private func post(
    _ path: String,
    _ body: [UInt8],
    _ credentials: CallCredentials,
    mayRepeat: Bool = true
  ) async throws -> Data {
    guard let request = request(path, body, credentials) else {
      throw FirestoreFailure(.invalidArgument, "The server's address is malformed.")
    }
    let answer: HTTPAnswer
    do {
      answer = try await client.answer(to: request, limit: Self.greatestAnswer)
    } catch is HTTPClient.AnswerTooLarge {
      throw FirestoreFailure(.resourceExhausted, "The server's response is too large.")
    } catch  where mayRepeat && HTTPClient.isConnectionLost(error) {
      return try await post(path, body, credentials, mayRepeat: false)
    } catch {
      throw FirestoreFailure(
        .unavailable,
        "The connection failed: \(error.localizedDescription)"
      )
    }
    if let failure = FirestoreFailure.refusal(status: answer.status, body: answer.body) {
      throw failure
    }
    return answer.body
  }

  private func request(
    _ path: String,
    _ body: [UInt8],
    _ credentials: CallCredentials
  ) -> URLRequest? {
    let encoded = PercentEncoding.encode(path.utf8) { byte in
      byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "(")
        || byte == UInt8(ascii: ")") || JSONWriter.isUnreserved(byte)
    }
    guard let url = URL(string: "\(url)/v1/\(encoded)") else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(body)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    for header in clientHeaders { request.setValue(header.value, forHTTPHeaderField: header.name) }
    if let token = credentials.token {
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }
    return request
  }

  private static func read<R>(_ body: Data, _ read: (inout JSONScanner) throws -> R) throws -> R {
    let bytes = [UInt8](body)
    do {
      return try bytes.withUnsafeBufferPointer { bytes in
        guard isValidUTF8(UnsafeRawBufferPointer(bytes)) else { throw ChunkReader.Malformed() }
        var json = JSONScanner(bytes)
        return try read(&json)
      }
    } catch let failure as FirestoreFailure {
      throw failure
    } catch {
      throw FirestoreFailure(.internalError, "The server's response is malformed.")
    }
  }
}

/// A Listen call on a WebChannel.
private struct WebChannelWatchStream: WatchStream {
  let channel: WebChannel<WatchChange>
  let messages: ListenMessages

  func listen(_ data: TargetData) { channel.send(messages.listen(data), tag: Int(data.id)) }
  func unlisten(_ id: TargetID) { channel.send(messages.unlisten(id)) }
  func close() { channel.close() }
}

/// A Write call on a WebChannel.
private struct WebChannelWriteStream: WriteStream {
  let channel: WebChannel<WriteMessages.Response>
  let database: DatabaseID

  func shakeHands() { channel.send(WriteMessages.handshake(database)) }

  func send(_ writes: [Write], token: [UInt8], label: String?) {
    channel.send(WriteMessages.batch(writes, token: token, label: label))
  }

  func close() { channel.close() }
}
