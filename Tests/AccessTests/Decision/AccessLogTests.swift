import AccessTestSupport
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
        return AccessLog.Denial(metadata: [:])
      }
    }
    #expect(details == 20 && notes.entries.withLock { $0.count } == 20)
    time.withLock { $0 += 1_000_000 }
    log.noteDenial { _ in AccessLog.Denial(metadata: [:]) }
    let last = notes.entries.withLock { Array($0[20...]) }
    #expect(last.map(\.message) == ["more denials than are written", "denied by the rules"])
    #expect(last.first?.metadata["count"] == "30")
  }
}
