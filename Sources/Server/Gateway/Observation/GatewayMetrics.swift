import FirestoreModel
import FirestoreWire

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
  private let openStreams: [RPCMethod: GaugeMetric]
  private let calls: [[CounterMetric]]
  private let durations: [HistogramMetric]
  private let registry: MetricsRegistry

  init(registry: MetricsRegistry) {
    self.registry = registry
    receivedBytes = registry.counter("received_bytes_total")
    sentBytes = registry.counter("sent_bytes_total")
    connections = registry.gauge("connections")
    displacedConnections = registry.counter("connections_displaced_total")
    receivedMessages = registry.counter("stream_messages_received_total")
    sentMessages = registry.counter("stream_messages_sent_total")
    openStreams = Dictionary(
      uniqueKeysWithValues: RPCMethod.allCases.filter { $0.shape == .bidirectional }.map {
        ($0, registry.gauge("open_streams", [("method", $0.rawValue)]))
      }
    )
    calls = CallName.all.map { name in
      StatusCode.allCases.map { code in
        registry.counter("calls_total", [("method", name), ("code", code.name)])
      }
    }
    durations = CallName.all.map { name in
      registry.histogram(
        "call_duration_seconds",
        [("method", name)],
        bounds: HistogramMetric.seconds
      )
    }
  }

  /// Counts a finished call; `since` is nil for one that was refused at once.
  func observe(_ name: CallName, _ code: StatusCode, since start: ContinuousClock.Instant?) {
    calls[name.index][code.rawValue].add(1)
    guard let start else { return }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    durations[name.index].record(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// Counts a bidirectional call that begins.
  func streamOpened(_ method: RPCMethod) {
    openStreams[method]?.add(1)
  }

  /// Counts a bidirectional call that ended.
  func streamClosed(_ method: RPCMethod) {
    openStreams[method]?.add(-1)
  }

  /// Counts an HTTP request that is not an API call.
  func observe(status: Int) {
    registry.counter("http_requests_total", [("status", String(status))]).add(1)
  }
}

/// A method's place in the metrics' tables.
struct CallName: Sendable {
  static let unknown = CallName(index: 0)
  static let health = CallName(index: 1)
  static let all = ["unknown", "Health"] + RPCMethod.allCases.map(\.rawValue)

  private static let indexes: [RPCMethod: Int] = Dictionary(
    uniqueKeysWithValues: zip(RPCMethod.allCases, 2...)
  )

  let index: Int

  private init(index: Int) {
    self.index = index
  }

  init(_ method: RPCMethod) {
    index = Self.indexes[method] ?? 0
  }

  init(_ path: GRPCPath) {
    switch path {
    case .firestore(let method): self.init(method)
    case .healthCheck, .healthWatch: self = .health
    case .unknown: self = .unknown
    }
  }

  /// The method's name in logs and metrics.
  var text: String { Self.all[index] }
}
