import BaseStatus
import ServiceModule

/// The gRPC methods of all services, found by path.
struct MethodTable: Sendable {
  private let methods: [String: ServedMethod]

  /// The methods of those services; throws where two have the same path.
  init(_ modules: [ServiceModule], metrics: GatewayMetrics) throws(RouteConflict) {
    var methods: [String: ServedMethod] = [:]
    var services: [String: String] = [:]
    for module in modules {
      for method in module.methods {
        if let other = services.updateValue(module.name, forKey: method.path) {
          throw RouteConflict(
            description: "Two methods are the same: \(method.path) of \(other), of \(module.name)."
          )
        }
        methods[method.path] = ServedMethod(method, metrics: metrics)
      }
    }
    self.methods = methods
  }

  /// The method that a call's path names.
  subscript(path: String) -> ServedMethod? { methods[path] }

  /// Those that browsers open streams of.
  var forBrowsers: [WebChannelMethod] {
    methods.values.sorted { $0.path < $1.path }.compactMap { WebChannelMethod($0) }
  }
}

/// A gRPC method with its figures.
final class ServedMethod: Sendable {
  let path: String
  let name: String
  let handler: ServiceMethod.Handler
  let json: ServiceMethod.JSONForm?
  let isReading: Bool
  private let metrics: MethodMetrics
  private let openStreams: GaugeMetric?

  init(_ method: ServiceMethod, metrics: GatewayMetrics) {
    path = method.path
    name = method.name
    handler = method.handler
    json = method.json
    isReading = method.isReading
    self.metrics = metrics.method(method.name)
    openStreams =
      if case .bidirectional = method.handler { metrics.openStreams(of: method.name) } else { nil }
  }

  /// Counts a finished call; `since` is nil for one whose length says nothing.
  func observe(_ code: StatusCode, since start: ContinuousClock.Instant?) {
    metrics.observe(code, since: start)
  }

  /// Counts a bidirectional call that begins.
  func streamOpened() { openStreams?.add(1) }

  /// Counts a bidirectional call that ended.
  func streamClosed() { openStreams?.add(-1) }
}
