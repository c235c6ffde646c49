import AccessTestSupport
import BaseText
import Logging
import Synchronization
import Testing

@testable import Access

struct AccessLogTests {
  private let notes = Notes()

  @Test func `of many denials twenty a second are written and the others counted`() throws {
    let time = Mutex<Int64>(5_000_000)
    let log = AccessLog(notes.logger) { time.withLock { $0 } }
    var details = 0
    for _ in 0..<50 {
      log.noteDenial { _ in
        details += 1
        return AccessLog.Entry(project: "shop", metadata: [:])
      }
    }
    #expect(details == 20 && notes.entries.withLock { $0.count } == 20)
    time.withLock { $0 += 1_000_000 }
    log.noteDenial { _ in AccessLog.Entry(project: "shop", metadata: [:]) }
    let last = notes.entries.withLock { Array($0[20...]) }
    #expect(last.map(\.message) == ["denials were left out of the log", "denied by the rules"])
    #expect(last.first?.metadata["count"] == "30")
  }

  @Test func `what was written is kept for the console, of each project its own`() throws {
    let log = AccessLog(notes.logger) { 7_000_000 }
    for (project, path) in [("shop", "a"), ("other", "b"), ("shop", "c")] as [(Text, String)] {
      log.noteDenial { _ in
        AccessLog.Entry(project: project, metadata: ["path": "\(path)", "seen": ["L3: x = 1"]])
      }
    }
    let found = log.denied.entries(of: "shop", after: 0)
    #expect(found.map(\.number) == [1, 3] && found.map { $0.facts["path"] } == ["a", "c"])
    #expect(found[0].seen == ["L3: x = 1"] && found[0].time == 7_000_000)
    #expect(found[0].facts["seen"] == nil)
    #expect(log.denied.entries(of: "shop", after: 1).map(\.number) == [3])
  }

  @Test func `what was allowed is kept while somebody asks, of each project a hundred a second`()
    throws
  {
    let time = Mutex<Int64>(5_000_000)
    let log = AccessLog(notes.logger) { time.withLock { $0 } }
    var made = 0
    func allow(in project: Text = "shop") {
      log.noteAllowed(in: project) {
        made += 1
        return AccessLog.Entry(project: project, metadata: ["path": "a"])
      }
    }
    allow()
    #expect(made == 0)
    log.watchAllowed(of: "shop")
    // Nobody looks at the other one, which takes no room of the first.
    for _ in 0..<150 { allow(in: "other") }
    for _ in 0..<150 { allow() }
    #expect(made == 100)
    time.withLock { $0 += 9_999_999 }
    allow()
    let found = log.allowed.entries(of: "shop", after: 99)
    #expect(found.map(\.number) == [100, 101] && found.last?.time == 14_999_999)
    #expect(log.denied.entries(of: "shop", after: 0).isEmpty)
    time.withLock { $0 += 1 }
    allow()
    #expect(made == 101)
  }

  @Test func `the oldest make room`() {
    let recent = RecentRequests(capacity: 10)
    for _ in 0..<100 { recent.append(project: "shop", facts: [:], seen: [], at: 0) }
    let numbers = recent.entries(of: "shop", after: 0).map(\.number)
    #expect(numbers.count <= 10 && numbers.last == 100)
    #expect(numbers == Array((numbers.first ?? 0)...100))
  }
}
