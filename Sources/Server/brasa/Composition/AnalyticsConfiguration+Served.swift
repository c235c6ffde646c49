import EventAnalytics
import KeyValueRocksDB

extension AnalyticsConfiguration {
  /// What a server has: events leave the disk its reserve.
  static func served(by engine: RocksDBEngine) -> AnalyticsConfiguration {
    var configuration = AnalyticsConfiguration()
    configuration.availableBytes = { try engine.availableBytes() }
    configuration.freeSpace = { try engine.freeSpace(of: $0) }
    return configuration
  }
}
