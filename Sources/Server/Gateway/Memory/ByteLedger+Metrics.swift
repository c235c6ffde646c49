import BaseRuntime

extension ByteLedger {
  /// The ledger's figures for the metrics page: held bytes, by kind.
  var metrics: MetricsRegistry.Source {
    { [self] in
      Kind.allCases.map { ("client_memory_\($0)_bytes", Double(bytes(of: $0))) } + [
        ("client_memory_pool_bytes", Double(poolBytes)),
        ("client_memory_pool_limit_bytes", Double(limits.poolBytes)),
      ]
    }
  }
}
