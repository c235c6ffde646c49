import ServiceModule

extension MetricsRegistry {
  /// The process's metrics.
  ///
  ///     GET /metrics   Prometheus' text format
  var route: HTTPRoute {
    HTTPRoute(.get, "/metrics", for: .administrators) { [self] _ in
      var response = ServiceResponse.text(render())
      response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
      return response
    }
  }
}
