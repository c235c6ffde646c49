#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The share of the machine's processors that Linux gives a process: the cores of its affinity, as
/// `taskset` sets it, and the time of its control group, as containers and systemd's `CPUQuota=`
/// set it.
package struct ProcessorLimits: Sendable, Hashable {
  /// The number of cores that the process may run on; nil where it is unknown.
  package let allowed: Int?
  /// Microseconds of processor time in each period; nil where there is no limit.
  package let microseconds: Int?
  /// The period, in microseconds.
  package let period: Int

  /// Reads the list of cores in the form `0-2,5`, and the text of version 2's `cpu.max`: `max 100000` or `150000 100000`.
  ///
  /// A text in another form sets no limit.
  package init(cores list: String, cpuMax: String) {
    let spans = list.split(separator: ",").map { $0.split(separator: "-").map { Int($0) } }
    let counts = spans.map { span -> Int? in
      guard let first = span.first ?? nil, let last = span.last ?? nil else { return nil }
      return span.count <= 2 && first >= 0 && first <= last ? last - first + 1 : nil
    }
    let known = counts.compactMap(\.self)
    allowed = !known.isEmpty && known.count == counts.count ? known.reduce(0, +) : nil
    let parts = cpuMax.split { $0 == " " || $0 == "\n" }
    microseconds = parts.first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    period = parts.count > 1 ? max(Int(parts[1]) ?? 100_000, 1) : 100_000
  }

  /// The number of cores out of so many that the process may use, its time rounded up to whole cores; at least one.
  package func cores(of online: Int) -> Int {
    let running = min(online, allowed ?? online)
    guard let microseconds else { return max(running, 1) }
    return max(1, min(running, (microseconds + period - 1) / period))
  }

  /// The limits of this process; none where the system has no such files.
  package static var current: ProcessorLimits {
    let cores = line(of: "/proc/self/status", after: "Cpus_allowed_list:") ?? ""
    let group = line(of: "/proc/self/cgroup", after: "0::") ?? "/"
    let quota =
      text(of: "/sys/fs/cgroup\(group == "/" ? "" : group)/cpu.max")
      ?? text(of: "/sys/fs/cgroup/cpu.max")
    return ProcessorLimits(cores: cores, cpuMax: quota ?? "max")
  }

  private static func line(of path: String, after label: String) -> String? {
    let lines = text(of: path)?.split(separator: "\n")
    let line = lines?.first { $0.hasPrefix(label) }?.dropFirst(label.count)
    return line.map { String($0.drop { $0 == "\t" || $0 == " " }) }
  }

  private static func text(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
