import BaseStatus
import ServiceModule
import Synchronization

/// The gateway's own metrics, looked up once so that counting a call costs two locks at most.
struct GatewayMetrics: Sendable {
  let receivedBytes: CounterMetric
  let sentBytes: CounterMetric
  let connections: GaugeMetric
  /// Connections that were ended at the limit for others.
  let displacedConnections: CounterMetric
  /// Messages of bidirectional calls.
  let receivedMessages: CounterMetric
  let sentMessages: CounterMetric
  /// Calls that were refused before their method mattered.
  let refusedCalls: MethodMetrics
  /// The newest requests, for administrators; nil keeps none.
  let requestLog: RequestLog?
  private let requests: RequestCounters
  private let registry: MetricsRegistry

  init(registry: MetricsRegistry, requestLog: RequestLog? = nil) {
    self.registry = registry
    self.requestLog = requestLog
    requests = RequestCounters(registry)
    receivedBytes = registry.counter("received_bytes_total")
    sentBytes = registry.counter("sent_bytes_total")
    connections = registry.gauge("connections")
    displacedConnections = registry.counter("connections_displaced_total")
    receivedMessages = registry.counter("stream_messages_received_total")
    sentMessages = registry.counter("stream_messages_sent_total")
    refusedCalls = MethodMetrics("unknown", in: registry)
  }

  /// The figures of a method's calls.
  func method(_ name: String) -> MethodMetrics { MethodMetrics(name, in: registry) }

  /// The number of a method's streams that are open.
  func openStreams(of method: String) -> GaugeMetric {
    registry.gauge("open_streams", [("method", method)])
  }

  /// Counts an HTTP request.
  func observe(status: Int) { requests.counter(status).add(1) }
}

/// The counters of HTTP requests by status, each looked up in the registry once.
private final class RequestCounters: Sendable {
  private let known = Mutex<[Int: CounterMetric]>([:])
  private let registry: MetricsRegistry

  init(_ registry: MetricsRegistry) { self.registry = registry }

  func counter(_ status: Int) -> CounterMetric {
    if let counter = known.withLock({ $0[status] }) { return counter }
    let counter = registry.counter("http_requests_total", [("status", String(status))])
    known.withLock { $0[status] = counter }
    return counter
  }
}

/// How a method's calls ended and how long they took.
struct MethodMetrics: Sendable {
  private let calls: [CounterMetric]
  private let duration: HistogramMetric

  init(_ name: String, in registry: MetricsRegistry) {
    calls = StatusCode.allCases.map { code in
      registry.counter("calls_total", [("method", name), ("code", code.name)])
    }
    duration = registry.histogram(
      "call_duration_seconds",
      [("method", name)],
      bounds: HistogramMetric.seconds
    )
  }

  /// Counts a finished call; `since` is nil for one whose length says nothing.
  func observe(_ code: StatusCode, since start: ContinuousClock.Instant?) {
    calls[code.rawValue].add(1)
    guard let start else { return }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    duration.record(Double(seconds) + Double(attoseconds) / 1e18)
  }
}
