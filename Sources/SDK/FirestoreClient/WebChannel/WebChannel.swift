import BaseText
import FirebaseCore
import FirestoreModel
import FirestoreSync
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One bidirectional call as a WebChannel of version 8: a session of POSTs to the server and a GET whose response is what
/// the server says.
///
/// Nothing is sent before the first message, which goes along with the opening. A back channel that
/// ends or breaks is reopened and continues after the last received array. A request without a
/// response is sent again unchanged.
///
/// Unchecked: all that changes is used on the HTTP client's queue alone.
final class WebChannel<Message: Sendable>: @unchecked Sendable {
  /// An event of a channel.
  enum Event: Sendable {
    case messages([Message])
    /// The server takes no request with the message of this tag, which is too large; the end follows.
    case refused(tag: Int?, FirestoreFailure)
    /// The end, once; not after `close()`.
    case closed(FirestoreFailure?)
  }

  /// The address of a channel and the headers for the caller.
  struct Call: Sendable {
    /// Without parameters.
    var url: String
    var database: DatabaseID
    /// Travel inside the opening request.
    var headers: [(name: String, value: String)]
  }

  private enum State {
    /// Nothing was sent.
    case new
    case opening
    case open(session: String, affinity: String?)
    case closed
  }

  /// The number of times that a request is sent before the channel fails.
  private static var greatestAttempts: Int { 3 }
  /// Servers send something every thirty seconds.
  private static var readTimeout: TimeInterval { 45 }

  private let call: Call
  private let client: HTTPClient
  /// True if the server responds to each message with one of its own, in their order.
  private let isAnsweredInOrder: Bool
  private let decode: @Sendable (inout JSONScanner) throws -> Message?
  private let receive: @Sendable (Event) -> Void

  private var state = State.new
  private var queue = ForwardQueue()
  private var isFlushScheduled = false
  private var requestID = Int.random(in: 0..<100_000)
  private var attempts = 0
  private var affinity: String?

  /// The number of the last array that came.
  private var lastArray = -1
  private var back = BackChannel()
  /// The number of back channels in a row that ended without anything.
  private var emptyBackChannels = 0
  /// The number of messages that came.
  private var received = 0
  /// The number of the message that is too large for the server.
  private var refusal: (number: Int, failure: FirestoreFailure)?

  init(
    _ call: Call,
    _ client: HTTPClient,
    isAnsweredInOrder: Bool,
    decoding decode: @escaping @Sendable (inout JSONScanner) throws -> Message?,
    _ receive: @escaping @Sendable (Event) -> Void
  ) {
    self.call = call
    self.client = client
    self.isAnsweredInOrder = isAnsweredInOrder
    self.decode = decode
    self.receive = receive
  }

  /// Sends a message, which a refusal names by its tag; may be called from any thread.
  func send(_ message: [UInt8], tag: Int? = nil) {
    client.queue.async { [self] in
      if case .closed = state { return }
      queue.append(message, tag: tag)
      guard !isFlushScheduled else { return }
      isFlushScheduled = true
      // Messages of the same time are sent together.
      client.queue.async { [self] in
        isFlushScheduled = false
        flush()
      }
    }
  }

  /// Ends the channel; nothing comes of it any more.
  ///
  /// May be called from any thread.
  func close() {
    client.queue.async { [self] in
      guard let session = endState() else { return }
      terminate(session)
    }
  }

  // MARK: The way to the server

  private func flush() {
    switch state {
    case .new:
      guard let batch = queue.begin() else { return }
      state = .opening
      post(batch, headers: headerLines)
    case .open:
      guard let batch = queue.begin() else { return }
      requestID += 1
      attempts = 0
      post(batch, headers: nil)
    case .opening, .closed: break
    }
  }

  private var headerLines: String {
    call.headers.map { "\($0.name):\($0.value)\r\n" }.joined()
  }

  private func post(_ batch: ForwardQueue.Batch, headers: String?) {
    attempts += 1
    var parameters = [("RID", "\(requestID)")]
    if headers != nil { parameters += [("CVER", "22"), ("X-HTTP-Session-Id", "gsessionid")] }
    guard var request = request(parameters) else { return }
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(batch.form(headers: headers))
    let answer = ChannelAnswer()
    client.send(request) { [self] event in
      guard let result = answer.take(event) else { return }
      if headers != nil { opened(batch, result) } else { posted(batch, result) }
    }
  }

  private func opened(
    _ batch: ForwardQueue.Batch,
    _ result: Result<ChannelAnswer.Content, any Error>
  ) {
    guard case .opening = state else { return }
    do {
      let answer = try result.get()
      affinity = answer.headers["x-http-session-id"]
      if answer.status == Self.tooLarge { return refused(headers: headerLines) }
      guard answer.status == 200 else {
        return fail(FirestoreFailure.inBody(answer.body) ?? Self.failure(answer.status))
      }
      var reader = ChunkReader()
      var messages: [Message] = []
      try reader.take(answer.body) { try take($0, &messages) }
      guard case .open = state else { throw ChunkReader.Malformed() }
      queue.finish()
      deliver(messages)
      openBackChannel()
      flush()
    } catch let failure as FirestoreFailure {
      fail(failure)
    } catch  where HTTPClient.isConnectionLost(error) && attempts < Self.greatestAttempts {
      // A session that was started anyway has no user, and ends by itself.
      post(batch, headers: headerLines)
    } catch {
      fail(Self.failure(error))
    }
  }

  private func posted(
    _ batch: ForwardQueue.Batch,
    _ result: Result<ChannelAnswer.Content, any Error>
  ) {
    guard case .open = state else { return }
    switch result {
    case .success(let answer) where answer.status == 200:
      queue.finish()
      flush()
    case .success(let answer) where answer.status == Self.tooLarge: refused(headers: nil)
    case .success(let answer): fail(Self.failure(answer.status))
    case .failure(let error):
      if attempts < Self.greatestAttempts {
        post(batch, headers: nil)
      } else {
        fail(Self.failure(error))
      }
    }
  }

  // MARK: Requests that are too large

  private static var tooLarge: Int { 413 }

  /// Sends the messages of a request that the server refused for its size one by one, and takes a single one as refused.
  private func refused(headers: String?) {
    if let smaller = queue.separate() {
      attempts = 0
      if headers == nil { requestID += 1 }
      return post(smaller, headers: headers)
    }
    guard let batch = queue.current else { return }
    let failure = FirestoreFailure(
      .invalidArgument,
      "The request is too large for the server: \(batch.byteCount) bytes."
    )
    refusal = (batch.offset, failure)
    if !isAnsweredInOrder { receive(.refused(tag: batch.messages.first?.tag, failure)) }
    endIfRefused()
  }

  /// Ends the channel with a refusal when all messages before the refused one have their responses.
  ///
  /// The client takes the end for the response to the first message that has none.
  private func endIfRefused() {
    guard let refusal, !isAnsweredInOrder || received >= refusal.number else { return }
    finish(refusal.failure)
  }

  private func deliver(_ messages: [Message]) {
    guard !messages.isEmpty else { return }
    received += messages.count
    receive(.messages(messages))
  }

  // MARK: The way back

  private func openBackChannel() {
    back = BackChannel(number: back.number + 1)
    let number = back.number
    let parameters = [
      ("RID", "rpc"), ("AID", "\(lastArray)"), ("CI", "0"), ("TYPE", "xmlhttp"),
    ]
    guard var request = request(parameters) else { return }
    request.timeoutInterval = Self.readTimeout
    back.call = client.send(request) { [self] event in
      guard number == back.number, case .open = state else { return }
      switch event {
      case .response(let code, _): back.status = code
      case .data(let data) where back.status == 200: takeBack(data)
      case .data, .sent: break
      case .end(let error): backChannelEnded(error)
      }
    }
  }

  private func takeBack(_ data: Data) {
    let before = lastArray
    var messages: [Message] = []
    var end: FirestoreFailure??
    do {
      try back.reader.take(data) { try take($0, &messages) }
    } catch let failure as FirestoreFailure {
      end = .some(failure)
    } catch is ChannelEnd {
      end = .some(nil)
    } catch {
      end = .some(Self.failure(error))
    }
    if lastArray > before { back.didReceive = true }
    deliver(messages)
    if let end { finish(end) } else { endIfRefused() }
  }

  private func take(_ text: UnsafeBufferPointer<UInt8>, _ messages: inout [Message]) throws {
    var json = JSONScanner(text)
    try json.channelArrays(decoding: decode) { number, array in
      guard number > lastArray else { return }
      lastArray = number
      switch array {
      case .opened(let session): state = .open(session: session, affinity: affinity)
      case .message(let message): messages.append(message)
      case .noop: break
      case .ended(isOrderly: true): throw ChannelEnd()
      case .ended(isOrderly: false):
        throw FirestoreFailure(.unavailable, "The server stopped the stream.")
      }
    }
  }

  private func backChannelEnded(_ error: (any Error)?) {
    guard back.status == 200 || back.status == 0 else { return fail(Self.failure(back.status)) }
    emptyBackChannels = back.didReceive ? 0 : emptyBackChannels + 1
    guard emptyBackChannels < Self.greatestAttempts else {
      return fail(error.map(Self.failure) ?? Self.failure(back.status))
    }
    openBackChannel()
  }

  // MARK: The end

  private func fail(_ failure: FirestoreFailure) { finish(failure) }

  /// Ends the channel from the server's or the network's side.
  private func finish(_ failure: FirestoreFailure?) {
    if let session = endState() { terminate(session) }
    receive(.closed(failure))
  }

  /// Turns to the end; the parameters of a session that has to be ended at the server.
  private func endState() -> [(String, String)]? {
    let parameters: [(String, String)]?
    if case .open = state { parameters = sessionParameters } else { parameters = nil }
    state = .closed
    back.call?.cancel()
    back = BackChannel(number: back.number + 1)
    return parameters
  }

  private func terminate(_ session: [(String, String)]) {
    requestID += 1
    let parameters = session + [("RID", "\(requestID)"), ("TYPE", "terminate")]
    guard var request = request(parameters) else { return }
    request.httpMethod = "POST"
    client.send(request) { _ in }
  }

  // MARK: Requests

  private var sessionParameters: [(String, String)] {
    guard case .open(let session, let affinity) = state else { return [] }
    return [("SID", session)] + (affinity.map { [("gsessionid", $0)] } ?? [])
  }

  private func request(_ parameters: [(String, String)]) -> URLRequest? {
    let common = [("VER", "8"), ("database", call.database.path)]
    let all = common + sessionParameters + parameters + [("t", "\(max(attempts, 1))")]
    guard let url = URL(string: "\(call.url)?\(PercentEncoding.form(all))") else {
      fail(FirestoreFailure(.invalidArgument, "The server's address is malformed."))
      return nil
    }
    return URLRequest(url: url)
  }

  private static func failure(_ status: Int) -> FirestoreFailure {
    FirestoreFailure(.unavailable, "The server ended the stream with status \(status).")
  }

  private static func failure(_ error: any Error) -> FirestoreFailure {
    FirestoreFailure(.unavailable, "The connection failed: \(error.localizedDescription)")
  }
}

/// The request in whose response the server speaks.
private struct BackChannel {
  /// Distinguishes requests: results of an earlier one are ignored.
  var number = 0
  var call: HTTPCall?
  var reader = ChunkReader()
  var status = 0
  /// True if an array came.
  var didReceive = false
}

/// The server ended the channel in order.
private struct ChannelEnd: Error {}

/// Collects the short answer of a POST.
///
/// Unchecked: it is used on the HTTP client's queue alone.
private final class ChannelAnswer: @unchecked Sendable {
  struct Content {
    var status = 0
    var headers: [String: String] = [:]
    var body: [UInt8] = []
  }

  private static let greatestBody = 1 << 20
  private var content = Content()

  /// Takes an event; the whole response or the error at the end.
  func take(_ event: HTTPEvent) -> Result<Content, any Error>? {
    switch event {
    case .sent: return nil
    case .response(let status, let headers):
      content.status = status
      content.headers = headers
      return nil
    case .data(let data):
      content.body += data.prefix(max(0, Self.greatestBody - content.body.count))
      return nil
    case .end(let error?): return .failure(error)
    case .end(nil): return .success(content)
    }
  }
}
