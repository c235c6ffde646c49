import BaseStatus
import DocumentCodec
@testable import DocumentStore
import FirestoreModel
import Synchronization
import Testing

@testable import FirestoreService

/// A Write stream without sockets and without a store: commits are answered by hand.
@Suite struct WriteStreamCallTests {
  /// An event on the stream, followed by the state that the client has received.
  enum Step: Sendable {
    case receive([UInt8])
    case committed
    case refused(StatusCode)
    case clientEnds
    case drain
    case full
    case roomAgain
  }

  /// The events that the client sees, in short: `open`, `token`, `results n`, a status.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]
    let seen: [String]
    var commits: [Int] = []

    init(_ name: String, _ steps: [Step], seen: [String], commits: [Int] = []) {
      testDescription = name
      self.steps = steps
      self.seen = seen
      self.commits = commits
    }
  }

  static let cases: [Case] = [
    Case("a handshake", [.receive(opening)], seen: ["open"]),
    Case(
      "a batch",
      [.receive(opening), .receive(batch(2)), .committed],
      seen: ["open", "results 2"],
      commits: [2]
    ),
    Case(
      "an unanswered batch says nothing",
      [.receive(opening), .receive(batch(1))],
      seen: ["open"],
      commits: [1]
    ),
    Case(
      "batches go one after the other",
      [.receive(opening), .receive(batch(1)), .receive(batch(2)), .receive(batch(3)), .committed],
      seen: ["open", "results 1"],
      commits: [1, 2]
    ),
    Case(
      "a token keeps its order among batches",
      [.receive(opening), .receive(batch(1)), .receive(batch(0)), .receive(batch(2)), .committed],
      seen: ["open", "results 1", "token"],
      commits: [1, 2]
    ),
    Case(
      "a token at once when nothing is under way",
      [.receive(opening), .receive(batch(0)), .receive(batch(0))],
      seen: ["open", "token", "token"]
    ),
    Case(
      "the end waits for the answers",
      [.receive(opening), .receive(batch(1)), .clientEnds, .committed],
      seen: ["open", "results 1", "ok"],
      commits: [1]
    ),
    Case("an end without a message", [.clientEnds], seen: ["ok"]),
    Case(
      "a refused batch ends the stream and keeps what follows from happening",
      [.receive(opening), .receive(batch(1)), .receive(batch(2)), .refused(.failedPrecondition)],
      seen: ["open", "failedPrecondition"],
      commits: [1]
    ),
    Case(
      "a malformed message is the verdict on its own batch only",
      [.receive(opening), .receive(batch(1)), .receive([0xff]), .receive(batch(2)), .committed],
      seen: ["open", "results 1", "invalidArgument"],
      commits: [1]
    ),
    Case(
      "a stop answers what was received",
      [.receive(opening), .receive(batch(1)), .receive(batch(2)), .drain, .committed, .committed],
      seen: ["open", "results 1", "results 2", "unavailable"],
      commits: [1, 2]
    ),
    Case("a stop of an idle stream", [.receive(opening), .drain], seen: ["open", "unavailable"]),
    Case(
      "a client that does not read its answers has no further batch committed",
      [.receive(opening), .full, .receive(batch(1)), .receive(batch(2)), .committed],
      seen: ["open", "results 1"],
      commits: [1]
    ),
    Case(
      "reading on lets the next batch go",
      [
        .receive(opening), .full, .receive(batch(1)), .receive(batch(2)), .committed, .roomAgain,
        .committed,
      ],
      seen: ["open", "results 1", "results 2"],
      commits: [1, 2]
    ),
    Case("writes in the handshake", [.receive(opening + batch(1))], seen: ["invalidArgument"]),
    Case("no database in the handshake", [.receive([])], seen: ["invalidArgument"]),
    Case(
      "a stream id in the handshake",
      [.receive(opening + string(2, "x"))],
      seen: ["invalidArgument"]
    ),
    Case(
      "a token in the handshake",
      [.receive(opening + string(4, "x"))],
      seen: ["invalidArgument"]
    ),
    Case(
      "the database again",
      [.receive(opening), .receive(opening + batch(1))],
      seen: ["open"],
      commits: [1]
    ),
    Case(
      "another database",
      [.receive(opening), .receive(string(1, "projects/p/databases/other"))],
      seen: ["open", "invalidArgument"]
    ),
    Case(
      "a document of another database",
      [.receive(opening), .receive(batch(1, database: "other"))],
      seen: ["open", "invalidArgument"]
    ),
  ]

  @Test(arguments: cases)
  func `a stream answers in order`(_ script: Case) throws {
    let fixture = Fixture()
    for step in script.steps { fixture.perform(step) }
    #expect(try fixture.seen() == script.seen)
    #expect(fixture.commits == script.commits)
  }

  @Test func `a cancelled stream commits and says nothing more`() throws {
    let fixture = Fixture()
    fixture.perform(.receive(opening))
    fixture.perform(.receive(batch(1)))
    fixture.perform(.receive(batch(2)))
    fixture.call.cancel()
    fixture.perform(.committed)
    #expect(try fixture.seen() == ["open"])
    #expect(fixture.commits == [1])
  }

  @Test func `tokens are never empty and never come twice`() throws {
    let fixture = Fixture()
    fixture.perform(.receive(opening))
    for _ in 0..<5 { fixture.perform(.receive(batch(0))) }
    let tokens = try fixture.responses.messages.map { try Fields($0).bytes[2]?.first }
    #expect(tokens.count == 6)
    #expect(Set(tokens).count == 6)
    #expect(tokens.allSatisfy { $0?.isEmpty == false })
  }

  @Test func `a flood of batches stops the reading until half is worked off`() throws {
    let fixture = Fixture()
    fixture.perform(.receive(opening))
    for _ in 0..<40 { fixture.perform(.receive(batch(1))) }
    #expect(fixture.responses.events.filter { $0 == .reading(false) }.count == 1)
    #expect(!fixture.responses.events.contains(.reading(true)))
    for _ in 0..<40 { fixture.perform(.committed) }
    #expect(fixture.responses.events.filter { $0 == .reading(true) }.count == 1)
    #expect(try fixture.seen() == ["open"] + Array(repeating: "results 1", count: 40))
  }
}

// MARK: Fixture

private typealias Answer = @Sendable (Result<CommitOutcome, ServiceError>) -> Void

/// A stream whose commits wait to be answered.
private final class Fixture: Sendable {
  let responses = ScriptedResponses()
  private let pending: Pending
  let call: WriteStreamCall

  final class Pending: Sendable {
    let answers = Mutex<[Answer]>([])
    let commits = Mutex<[Int]>([])
  }

  init() {
    let pending = Pending()
    self.pending = pending
    call = WriteStreamCall(streamID: "stream", responses: responses) { batch, answer in
      pending.commits.withLock { $0.append(batch.writes.count) }
      pending.answers.withLock { $0.append(answer) }
    }
  }

  /// The number of writes in each commit that was begun.
  var commits: [Int] { pending.commits.withLock { $0 } }

  func perform(_ step: WriteStreamCallTests.Step) {
    switch step {
    case .receive(let message): call.receive(message)
    case .committed:
      guard let answer = next() else { return }
      let time = CommitVersion(microseconds: 5)
      let results = (0..<(commits.last ?? 0)).map { _ in WriteResult(updateTime: time) }
      answer(.success(CommitOutcome(version: time, results: results)))
    case .refused(let code): next()?(.failure(ServiceError(code, "refused")))
    case .clientEnds: call.finishRequests()
    case .drain: #expect(call.drain())
    case .full: responses.hasRoom.withLock { $0 = false }
    case .roomAgain:
      responses.hasRoom.withLock { $0 = true }
      call.resumeSending()
    }
  }

  private func next() -> Answer? {
    pending.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Returns the events that the client has received.
  func seen() throws -> [String] {
    try responses.events.compactMap { event in
      switch event {
      case .reading: return nil
      case .finished(let code, _): return "\(code)"
      case .message(let bytes):
        let fields = try Fields(bytes)
        #expect(fields.bytes[2]?.count == 1)
        if fields.bytes[1] != nil {
          #expect(fields.bytes[3] == nil && fields.bytes[4] == nil)
          return "open"
        }
        guard let results = fields.bytes[3] else {
          #expect(fields.bytes[4] == nil)
          return "token"
        }
        #expect(fields.bytes[4]?.count == 1)
        return "results \(results.count)"
      }
    }
  }
}

/// A message's length-delimited fields.
private struct Fields {
  var bytes: [Int: [[UInt8]]] = [:]

  init(_ message: [UInt8]) throws {
    try message.withUnsafeBytes { buffer in
      var reader = ProtobufReader(buffer)
      while let field = try reader.nextField() {
        bytes[field, default: []].append(try reader.byteArray())
      }
    }
  }
}

private let opening = string(1, "projects/p/databases/(default)")

private func string(_ field: Int, _ text: String) -> [UInt8] {
  var writer = ProtobufWriter()
  writer.string(field, text)
  return writer.bytes
}

/// A message with as many deletes.
private func batch(_ count: Int, database: String = "(default)") -> [UInt8] {
  var writer = ProtobufWriter()
  for number in 0..<count {
    writer.message(3) { write in
      write.string(2, "projects/p/databases/\(database)/documents/c/\(number)")
    }
  }
  return writer.bytes
}
