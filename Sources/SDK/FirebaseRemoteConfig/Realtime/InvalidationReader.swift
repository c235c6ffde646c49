import FirebaseCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads the stream of one request and yields its numbers.
struct InvalidationReader: Sendable {
  /// A message of the server on the stream.
  enum Event: Sendable {
    /// The answer has begun.
    case opened
    case number(Int64)
    case unavailable
  }

  /// The server refused the stream.
  struct Refused: Error {
    let status: Int
  }

  private let continuation: AsyncThrowingStream<Event, any Error>.Continuation

  /// The events of a request; ends when the server ends its response, throws where the network or it fails.
  static func events(
    of request: URLRequest,
    _ client: HTTPClient
  ) -> AsyncThrowingStream<Event, any Error> {
    // Numbers only grow: the newest unread one is enough.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Event.self,
      bufferingPolicy: .bufferingNewest(4)
    )
    let reader = InvalidationReader(continuation: continuation)
    let call = client.send(request) { reader.take($0) }
    continuation.onTermination = { _ in call?.cancel() }
    return stream
  }

  private func take(_ event: HTTPEvent) {
    switch event {
    case .sent: break
    case .response(200, _): continuation.yield(.opened)
    case .response(let status, _): continuation.finish(throwing: Refused(status: status))
    case .data(let data): read(data)
    case .end(let error): continuation.finish(throwing: error)
    }
  }

  /// A part has whole messages: the server sends one a part.
  private func read(_ data: Data) {
    for text in String(decoding: data, as: UTF8.self).split(separator: "}") {
      guard let start = text.firstIndex(of: "{"),
        let message = try? JSONSerialization.jsonObject(with: Data("\(text[start...])}".utf8)),
        let members = message as? [String: Any]
      else { continue }
      if members["featureDisabled"] as? Bool == true { continuation.yield(.unavailable) }
      let number = members["latestTemplateVersionNumber"]
      if let number = (number as? String).flatMap(Int64.init) ?? (number as? NSNumber)?.int64Value {
        continuation.yield(.number(number))
      }
    }
  }
}
