import Access
import Synchronization
import Testing

@testable import ServiceModule

@Suite struct RequestLogTests {
  private static func caller(_ id: String = "r") -> RequestLog.Caller {
    RequestLog.Caller(requestID: id, authorization: nil, memory: nil, address: "192.0.2.1")
  }

  private static func note(_ log: RequestLog, _ path: String = "/v1/a", status: Int = 200) {
    log.note("GET", path: path, status: status, duration: .microseconds(1_500), from: caller())
  }

  @Test func `the newest requests are kept and numbered`() {
    let log = RequestLog(capacity: 3) { 7_000_000 }
    for number in 1...5 { Self.note(log, "/\(number)") }
    let entries = log.entries(after: 0, limit: 10)
    #expect(entries.map(\.path) == ["/3", "/4", "/5"] && entries.map(\.number) == [3, 4, 5])
    #expect(entries[0].duration == 1_500 && entries[0].time == 7_000_000)
    #expect(entries[0].address == "192.0.2.1" && entries[0].caller == nil)
    #expect(log.entries(after: 4, limit: 10).map(\.number) == [5])
    #expect(log.entries(after: 0, before: 5, limit: 1).map(\.number) == [4])
    #expect(log.entries(after: 9, limit: 10).isEmpty)
    #expect(log.entries(after: 0, before: 1, limit: 10).isEmpty)
    #expect(RequestLog().entries(after: 0, limit: 10).isEmpty)
  }

  @Test func `of many a sample is kept, whose weights are about all of them`() {
    let time = Mutex<Int64>(7_000_000)
    let log = RequestLog { time.withLock { $0 } }
    for _ in 0..<10_000 { Self.note(log) }
    Self.note(log, status: 403)
    let entries = log.entries(after: 0, limit: 5_000)
    #expect(entries.count == 200 + 180 + 80 + 1)
    #expect(entries.map(\.weight).reduce(0, +) == 10_001)
    #expect(entries.last?.status == 403 && entries.last?.weight == 1)
    time.withLock { $0 += 1_000_000 }
    Self.note(log)
    #expect(log.entries(after: 0, limit: 1).map(\.weight) == [1])
  }

  @Test func `no part of a path that may be a token is kept`() {
    let log = RequestLog { 7_000_000 }
    let token = String(repeating: "s", count: 140)
    Self.note(log, "/iid/v1/\(token)/rel/topics/news")
    Self.note(log, "/" + Array(repeating: "part", count: 200).joined(separator: "/"))
    let paths = log.entries(after: 0, limit: 10).map(\.path)
    #expect(paths[0] == "/iid/v1/ssssssss…/rel/topics/news")
    #expect(paths[1].utf8.count <= 403 && paths[1].hasSuffix("…"))
  }
}
