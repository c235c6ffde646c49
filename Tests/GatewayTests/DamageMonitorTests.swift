import Gateway
import Logging
import Synchronization
import Testing

@Suite struct DamageMonitorTests {
  @Test func `damage is counted each time, told to probes and logged once a minute`() {
    let lines = Mutex<[String]>([])
    let time = Mutex(ContinuousClock.now)
    let metrics = MetricsRegistry()
    let monitor = DamageMonitor(
      metrics: metrics,
      logger: Logger(label: "store") { label in
        LineLogHandler(label: label, level: .info) { line in lines.withLock { $0.append(line) } }
      },
      now: { time.withLock { $0 } }
    )
    #expect(monitor.healthLine == nil)
    for second in 0...60 {
      if second > 0 { time.withLock { $0 += .seconds(1) } }
      for _ in 0..<10 { monitor.note("it is short", metadata: ["record": "a user", "key": "07"]) }
    }
    let logged = lines.withLock { $0 }
    #expect(logged.count == 2)
    for part in ["cause=\"it is short\"", "stored_record=\"a user\"", "stored_key=07"] {
      #expect(logged[0].contains(part), "\(part)")
    }
    #expect(logged[0].contains("more_since_last=0"))
    #expect(logged[1].contains("more_since_last=599"))
    #expect(monitor.healthLine?.contains("610 reads") == true)
    #expect(metrics.render().contains("brasa_damaged_reads_total 610"))
  }
}
