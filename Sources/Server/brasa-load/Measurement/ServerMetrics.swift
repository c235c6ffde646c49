/// A reading of the server's Prometheus page, from which loads report what it cost to be durable.
struct ServerMetrics {
  private var counters: [String: Double] = [:]

  /// Reads the page's samples without labels; lines that it does not understand are skipped.
  init(_ page: String) {
    for line in page.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let value = Double(parts[1]) else { continue }
      counters[String(parts[0])] = value
    }
  }

  /// Asks the server for its page; nil from one that has none.
  static func fetch(_ target: LoadTarget) throws -> ServerMetrics? {
    try fetch(host: target.host, port: target.port)
  }

  /// Asks the server at an address.
  static func fetch(host: String, port: Int) throws -> ServerMetrics? {
    let socket = try LoadSocket(host: host, port: port)
    var poller = try Poller()
    try poller.add(socket.descriptor, number: 0)
    let headers = "Host: \(host):\(port)\r\nConnection: close\r\n\r\n"
    guard socket.send(Array("GET /metrics HTTP/1.1\r\n\(headers)".utf8)) else { return nil }
    var page: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while monotonicNanoseconds() < deadline {
      try poller.wait(milliseconds: 1_000) { _ in }
      guard let count = buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) else { break }
      page.append(contentsOf: buffer[..<count])
    }
    guard page.starts(with: Array("HTTP/1.1 200".utf8)) else { return nil }
    return ServerMetrics(String(decoding: page, as: UTF8.self))
  }

  /// Describes the groups of writes that became durable since `earlier`: their number, their sizes
  /// and the time it took; nil if the server does not report them or nothing was written.
  func groups(since earlier: ServerMetrics) -> String? {
    guard let groups = difference("kv_group_durable_seconds_count", earlier), groups > 0 else {
      return nil
    }
    var line = "groups: \(Int(groups)) synced"
    if let keys = difference("kv_group_keys_sum", earlier) {
      line += ", \(Report.short(keys / groups)) keys each"
    }
    if let seconds = difference("kv_group_durable_seconds_sum", earlier) {
      line += ", \(Report.short(seconds / groups * 1_000)) ms each to be durable"
    }
    return line
  }

  /// Returns the number of syncs of stored files and their directories since `earlier`; nil if the
  /// server does not report it.
  func fileSyncs(since earlier: ServerMetrics) -> Double? {
    difference("storage_file_syncs_total", earlier)
  }

  /// Returns the growth of the counter of that name, with any prefix.
  private func difference(_ suffix: String, _ earlier: ServerMetrics) -> Double? {
    guard let (name, value) = counters.first(where: { $0.key.hasSuffix(suffix) }) else {
      return nil
    }
    return value - (earlier.counters[name] ?? 0)
  }
}
