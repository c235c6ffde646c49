import Foundation
import Gzip
import SDKTestSupport
import Synchronization

@testable import FirebaseAnalytics

/// A server that keeps events as its specification says: a batch number that it knows changes nothing.
final class Intake: Sendable {
  struct Event: Sendable, Equatable {
    let name: String
    let timeMicros: Int64
    let sequence: Int64
    let userID: String?
    let run: String?
    let number: Int64?
  }

  struct State: Sendable {
    var events: [Event] = []
    var numbers: [Int64] = []
    var sizes: [Int] = []
    var bodies: [String] = []
    var repeats = 0
    /// Statuses of the next responses, before batches are taken again.
    var failures: [Int] = []
    /// Batches that are taken, and whose responses say that they were not.
    var lostAnswers = 0
  }

  private let news: AsyncStream<Int>
  private let server: AnsweringServer
  private let box: Box

  var port: Int { server.port }
  var url: String { server.url }
  var requests: [AnsweringServer.Request] {
    server.requests.filter { $0.line.contains("events:batch") }
  }

  init(failures: [Int] = [], lostAnswers: Int = 0) throws {
    let (news, continuation) = AsyncStream.makeStream(
      of: Int.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    self.news = news
    let taken = Box()
    taken.state.withLock { ($0.failures, $0.lostAnswers) = (failures, lostAnswers) }
    server = try AnsweringServer { request in
      // Where there are no installations there are no tokens, and events come without.
      guard request.line.contains("events:batch") else {
        return AnsweringServer.Answer(404, body: "{}")
      }
      let answer = taken.take(Self.expanded(request))
      continuation.yield(taken.state.withLock { $0.events.count })
      return answer
    }
    box = taken
  }

  private static func expanded(_ request: AnsweringServer.Request) -> Data {
    guard request.headers["content-encoding"] == "gzip" else { return request.body }
    do {
      return Data(try GzipReader.unpacked(Array(request.body), limit: 1 << 20))
    } catch {
      return Data()
    }
  }

  private final class Box: Sendable {
    let state = Mutex(State())

    func take(_ body: Data) -> AnsweringServer.Answer {
      state.withLock { state in
        state.bodies.append(String(decoding: body, as: UTF8.self))
        if !state.failures.isEmpty {
          return AnsweringServer.Answer(state.failures.removeFirst(), body: "{}")
        }
        guard let members = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
          let number = (members["batchNumber"] as? NSNumber)?.int64Value,
          let events = members["events"] as? [[String: Any]]
        else { return AnsweringServer.Answer(400, body: "{}") }
        guard !state.numbers.contains(number) else {
          state.repeats += 1
          return AnsweringServer.Answer(200, body: #"{"accepted": 0, "repeated": true}"#)
        }
        state.numbers.append(number)
        state.sizes.append(events.count)
        state.events += events.map { Event($0, userID: members["userId"] as? String) }
        if state.lostAnswers > 0 {
          state.lostAnswers -= 1
          return AnsweringServer.Answer(503, body: "{}")
        }
        return AnsweringServer.Answer(200, body: "{\"accepted\": \(events.count)}")
      }
    }
  }

  /// The state of the requests so far.
  var taken: State { box.state.withLock { $0 } }

  /// Returns when so many events have come.
  func wait(for count: Int) async {
    if taken.events.count >= count { return }
    for await seen in news where seen >= count { return }
  }

  /// Returns when so many requests have come.
  func wait(forRequests count: Int) async {
    if taken.bodies.count >= count { return }
    for await _ in news where taken.bodies.count >= count { return }
  }
}

extension Intake.Event {
  init(_ members: [String: Any], userID: String?) {
    let params = members["params"] as? [String: [String: Any]] ?? [:]
    self.init(
      name: members["name"] as? String ?? "",
      timeMicros: (members["timeMicros"] as? NSNumber)?.int64Value ?? 0,
      sequence: (members["sequence"] as? NSNumber)?.int64Value ?? 0,
      userID: userID,
      run: params["run"]?["stringValue"] as? String,
      number: (params["number"]?["intValue"] as? NSNumber)?.int64Value
    )
  }
}
