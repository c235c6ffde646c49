import FirebaseCore
import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads the stream of one request and yields its lines.
final class StreamReader: Sendable {
  /// The server refused the stream.
  struct Refused: Error {
    let status: Int
  }

  /// More lines came than a device's mailbox has.
  struct Overflow: Error {}

  private static let lineLimit = 1_000
  /// A stream takes its connection, so that it costs the server least on one that had no other request before.
  private static let client = HTTPClient(label: "FirebaseMessaging.stream")

  private let continuation: AsyncThrowingStream<StreamLine, any Error>.Continuation
  private let splitter = Lock(LineSplitter())

  private init(_ continuation: AsyncThrowingStream<StreamLine, any Error>.Continuation) {
    self.continuation = continuation
  }

  /// The lines of a request; ends when the server ends its response, throws where the network or it fails.
  static func lines(of request: URLRequest) -> AsyncThrowingStream<StreamLine, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: StreamLine.self,
      bufferingPolicy: .bufferingOldest(lineLimit)
    )
    let reader = StreamReader(continuation)
    let call = client.send(request) { reader.take($0) }
    continuation.onTermination = { _ in call?.cancel() }
    return stream
  }

  private func take(_ event: HTTPEvent) {
    switch event {
    case .sent, .response(200, _): break
    case .response(let status, _): continuation.finish(throwing: Refused(status: status))
    case .data(let data): read(data)
    case .end(let error): continuation.finish(throwing: error)
    }
  }

  private func read(_ data: Data) {
    do {
      for line in try splitter.withLock({ try $0.take(data) }) {
        guard let line = StreamLine(line) else { continue }
        if case .dropped = continuation.yield(line) { throw Overflow() }
      }
    } catch {
      continuation.finish(throwing: error)
    }
  }
}
