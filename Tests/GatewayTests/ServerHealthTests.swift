import Synchronization
import Testing

@testable import Gateway

@Suite struct ServerHealthTests {
  @Test func `each part has a line of its own, and all are well when the last one is`() {
    let health = ServerHealth()
    let told = Mutex<[Bool]>([])
    health.observe { isWell in told.withLock { $0.append(isWell) } }
    health.report("storage", "writes fail")
    health.report("events", "writes fail")
    #expect(health.problems == ["events: writes fail", "storage: writes fail"])
    health.report("storage", nil)
    health.report("events", nil)
    #expect(told.withLock { $0 } == [true, false, true])
  }

  @Test func `a warning is for the operator and takes nothing from clients`() {
    let health = ServerHealth()
    let told = Mutex<[Bool]>([])
    health.observe { isWell in told.withLock { $0.append(isWell) } }
    health.warn("maintenance of databases", "fails")
    #expect(health.problems == [] && health.warnings == ["maintenance of databases: fails"])
    health.warn("maintenance of databases", nil)
    #expect(health.warnings == [])
    #expect(told.withLock { $0 } == [true])
  }
}
