import BaseJSON
import KeyValueStore

// A job's key: 0xE0, the first byte of `KeyOwner.jobs`, then its number (8 bytes, big-endian). Its value is a JSON object as
// UTF-8: {"kind", "target", "time", "state", "summary", "differences": [text], "differenceCount", "ended"}, times in
// milliseconds since 1970. It is written when the job is asked for and when it has ended.

extension KeyOwner {
  /// Jobs that administrators started, with what they came to.
  package static let jobs = KeyOwner("jobs", firstBytes: 0xE0...0xEF)
}

/// The jobs of the console as they are kept: the newest, with what they came to.
///
/// A job that ran when the server ended was interrupted: it does not continue. All calls block. Any
/// thread may call.
package struct JobHistory: Sendable {
  /// Jobs that are kept at least.
  static let kept = 50

  private let engine: any KeyValueEngine

  /// The history in that engine.
  package init(engine: any KeyValueEngine) { self.engine = engine }

  /// The kept jobs, the oldest first; `interrupted` where they had not ended.
  func load() throws -> [OperationJob] {
    try engine.read { reader in
      let cursor = try reader.cursor(over: Self.range, reversed: false)
      var jobs: [OperationJob] = []
      while try cursor.next() {
        var job = try OperationJob(
          number: Self.number(ofKey: cursor.key),
          JSONValue(parsing: String(decoding: cursor.value, as: UTF8.self))
        )
        if job.state.isOpen { job.state = .interrupted }
        jobs.append(job)
      }
      return jobs
    }
  }

  /// Keeps a new job under the next number, and forgets the oldest beyond those that are kept.
  func add(_ kind: String, _ target: String, at time: Int64) throws -> OperationJob {
    try engine.write { group in
      let newest = try group.cursor(over: Self.range, reversed: true)
      let last = try newest.next() ? Self.number(ofKey: newest.key) : 0
      let job = OperationJob(number: last + 1, kind: kind, target: target, time: time)
      try group.put(Self.key(job.number), job.record)
      if job.number > Self.kept { try group.delete(Self.key(job.number - Self.kept)) }
      return job
    }
  }

  /// Keeps a job as it is now.
  func put(_ job: OperationJob) throws {
    try engine.write { group in try group.put(Self.key(job.number), job.record) }
  }

  /// Forgets a job.
  func remove(_ number: Int) throws {
    try engine.write { group in try group.delete(Self.key(number)) }
  }

  private static let space = KeyOwner.jobs.firstBytes.lowerBound
  private static let range = KeyRange(prefix: [space])

  private static func key(_ number: Int) -> [UInt8] {
    [space] + withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) }
  }

  private static func number(ofKey key: UnsafeRawBufferPointer) -> Int {
    key.dropFirst().prefix(8).reduce(0) { $0 << 8 | Int($1) }
  }
}

extension OperationJob {
  /// The job as it is kept; its progress is not.
  fileprivate var record: [UInt8] {
    var members: [JSONValue.Member] = [
      .init("kind", .string(kind)), .init("target", .string(target)),
      .init("time", .integer(time)), .init("state", .string(state.rawValue)),
      .init("summary", .string(summary)),
    ]
    members.append(.init("differences", .array(differences.map(JSONValue.string))))
    members.append(.init("differenceCount", .integer(differenceCount)))
    if let ended { members.append(.init("ended", .integer(ended))) }
    return Array(JSONValue.object(members).compact.utf8)
  }

  /// Reads a job as it was kept.
  fileprivate init(number: Int, _ json: JSONValue) throws {
    guard let kind = json["kind"]?.string, let target = json["target"]?.string,
      let time = json["time"]?.integer,
      let state = json["state"]?.string.flatMap(State.init(rawValue:))
    else { throw KeyValueError(.corruption, "job \(number) of the console is damaged") }
    self.init(number: number, kind: kind, target: target, time: time)
    self.state = state
    summary = json["summary"]?.string ?? ""
    differences = (json["differences"]?.elements ?? []).compactMap(\.string)
    differenceCount = Int(json["differenceCount"]?.integer ?? 0)
    ended = json["ended"]?.integer
  }
}
