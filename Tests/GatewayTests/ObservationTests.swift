import Logging
import Synchronization
import Testing

@testable import Gateway

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct ObservationTests {
  /// Returns the lines that a logger with our handler writes.
  private func lines(_ log: (inout Logger) -> Void) -> [String] {
    let lines = Lines()
    var logger = Logger(label: "test") { label in
      LineLogHandler(
        label: label,
        level: .info,
        write: { line in lines.append(line) },
        now: { timespec(tv_sec: 1_796_000_000, tv_nsec: 7_000_000) }
      )
    }
    log(&logger)
    return lines.all
  }

  @Test func `errors that say the same again are counted, others are written`() {
    let lines = Lines()
    let time = Mutex(ContinuousClock.now)
    let repeated = RepeatedErrors(now: { time.withLock { $0 } })
    let logger = Logger(label: "test") { label in
      LineLogHandler(
        label: label,
        level: .info,
        repeated: repeated,
        write: { line in lines.append(line) },
        now: { timespec(tv_sec: 1_796_000_000, tv_nsec: 7_000_000) }
      )
    }
    for number in 0..<500 {
      logger.error("call failed", metadata: ["request": "\(number)", "cause": "the disk is full"])
    }
    #expect(lines.all.count == 5)
    logger.error("call failed", metadata: ["request": "x", "cause": "another"])
    for number in 0..<10 { logger.warning("a warning", metadata: ["number": "\(number)"]) }
    #expect(lines.all.count == 16)
    time.withLock { $0 += .seconds(61) }
    logger.error("call failed", metadata: ["request": "y", "cause": "the disk is full"])
    #expect(lines.all.last?.contains("more_since_last=495") == true)
    // However many kinds there are, the table and the log are bounded.
    for number in 0..<2_000 { logger.error("call failed", metadata: ["cause": "\(number)"]) }
    #expect(lines.all.count < 17 + 300)
  }

  @Test func `a line has time, level, message and sorted values`() {
    let lines = lines { logger in
      logger[metadataKey: "zone"] = "a"
      logger.warning("disk is filling", metadata: ["free": "12%", "path": "/a b"])
    }
    #expect(
      lines == [
        "2026-11-30T00:53:20.007Z WARN  test: disk is filling free=12% path=\"/a b\" zone=a\n"
      ]
    )
  }

  @Test func `levels below the handler's are not written`() {
    #expect(lines { $0.debug("quiet") }.isEmpty)
  }

  @Test func `what a client sent cannot start a line`() {
    let lines = lines { $0.info("x\ny", metadata: ["path": "/\n2026 ERROR\u{1b}[0m \"q\\"]) }
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix("test: x\\ny path=\"/\\n2026 ERROR\\u{1b}[0m \\\"q\\\\\"\n") == true
    )
  }

  @Test func `values under a credential's name are hidden`() {
    let lines = lines {
      $0.info(
        "login",
        metadata: ["Authorization": "Bearer s3cret", "token": "s3cret", "user": "u"]
      )
    }
    #expect(lines.first?.contains("s3cret") == false)
    #expect(lines.first?.contains("user=u") == true)
  }

  @Test func `metrics render as Prometheus text`() {
    let registry = MetricsRegistry()
    registry.counter("commit.groups").add(3)
    registry.counter("never")
      .increment(by: 0)
    registry.gauge("open", [("kind", "a\"b")]).add(2)
    let histogram = registry.histogram("size", bounds: [1, 4])
    for value in [0.5, 1, 3, 9] { histogram.record(value) }
    registry.addSource { [(name: "kv_snapshots", value: 5), (name: "new_total", value: 1)] }
    #expect(
      registry.render() == """
        # TYPE brasa_commit_groups counter
        brasa_commit_groups 3
        # TYPE brasa_open gauge
        brasa_open{kind="a\\"b"} 2.0
        # TYPE brasa_size histogram
        brasa_size_bucket{le="1.0"} 2
        brasa_size_bucket{le="4.0"} 3
        brasa_size_bucket{le="+Inf"} 4
        brasa_size_sum 13.5
        brasa_size_count 4
        # HELP brasa_kv_snapshots Snapshots that reads hold.
        # TYPE brasa_kv_snapshots gauge
        brasa_kv_snapshots 5.0
        # TYPE brasa_new_total counter
        brasa_new_total 1.0

        """
    )
  }
}

/// Lines that a handler wrote.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func append(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}
