import Gateway

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension DescriptorBudget {
  /// Shows the limit and the number of open descriptors among the metrics.
  func addMetrics(to metrics: MetricsRegistry) {
    metrics.addSource { [self] in
      var samples = [
        (name: "brasa_descriptors_limit", value: Double(limit)),
        (name: "brasa_connections_limit", value: Double(connections)),
      ]
      if let open = Self.open() {
        samples.append((name: "brasa_descriptors_open", value: Double(open)))
      }
      return samples
    }
  }

  /// The descriptors that the process has open right now.
  private static func open() -> Int? {
    guard let directory = opendir("/dev/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      // Not "." and "..", nor the directory itself.
      if UInt8(bitPattern: entry.pointee.d_name.0) != UInt8(ascii: ".") { count += 1 }
    }
    return count - 1
  }
}
