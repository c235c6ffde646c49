import AccessTestSupport
import FirestoreModel
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
        return AccessLog.Denial(project: "shop", metadata: [:])
      }
    }
    #expect(details == 20 && notes.entries.withLock { $0.count } == 20)
    time.withLock { $0 += 1_000_000 }
    log.noteDenial { _ in AccessLog.Denial(project: "shop", metadata: [:]) }
    let last = notes.entries.withLock { Array($0[20...]) }
    #expect(last.map(\.message) == ["more denials than are written", "denied by the rules"])
    #expect(last.first?.metadata["count"] == "30")
  }

  @Test func `what was written is kept for the console, of each project its own`() throws {
    let log = AccessLog(notes.logger) { 7_000_000 }
    for (project, path) in [("shop", "a"), ("other", "b"), ("shop", "c")] as [(Text, String)] {
      log.noteDenial { _ in
        AccessLog.Denial(project: project, metadata: ["path": "\(path)", "seen": ["L3: x = 1"]])
      }
    }
    let found = log.recent.entries(of: "shop", after: 0)
    #expect(found.map(\.number) == [1, 3] && found.map { $0.facts["path"] } == ["a", "c"])
    #expect(found[0].seen == ["L3: x = 1"] && found[0].time == 7_000_000)
    #expect(found[0].facts["seen"] == nil)
    #expect(log.recent.entries(of: "shop", after: 1).map(\.number) == [3])
  }

  @Test func `the oldest make room`() {
    let recent = RecentDenials(capacity: 10)
    for _ in 0..<100 { recent.append(project: "shop", facts: [:], seen: [], at: 0) }
    let numbers = recent.entries(of: "shop", after: 0).map(\.number)
    #expect(numbers.count <= 10 && numbers.last == 100)
    #expect(numbers == Array((numbers.first ?? 0)...100))
  }
}
