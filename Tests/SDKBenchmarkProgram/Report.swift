import Foundation
import SDKTestSupport

/// Seeds a server, measures every row in a process of its own and prints a table.
struct Report {
  /// A row's process failed.
  struct RowFailed: Error {
    let row: Row
    let output: String
  }

  private struct Line {
    let measure: String
    let figure: String
    let ask: String
  }

  let isQuick: Bool
  private let project = "benchmark"
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("sdk-benchmark-\(UUID().uuidString)")

  init(isQuick: Bool) { self.isQuick = isQuick }

  private var large: Int { isQuick ? 10_000 : 100_000 }
  private var middle: Int { isQuick ? 1_000 : 10_000 }
  private var small: Int { 1_000 }
  private var writes: Int { isQuick ? 100 : 1_000 }
  private var repeats: Int { isQuick ? 1 : 3 }

  /// Prints the report.
  func run() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { remove() }
    let server = try BrasaServer.shared.get()
    let seed = Seed(url: server.url, project: project)
    try await seed.fill("large", large)
    try await seed.fill("middle", middle)
    try await seed.fill("small", small)
    for number in 0..<10 { try await seed.fill("ten-\(number)", 1_000) }
    let fsync = try fsyncs()
    print(
      "\(ProcessInfo.processInfo.activeProcessorCount) cores, fsync p50 \(text(fsync)) ms; server beside, "
        + "products of 600 bytes, each row in a process of its own\n"
    )
    print("| Measure | Measured | Ask |\n|---|---|---|")
    for line in try lines(server.url, fsync) {
      print("| \(line.measure) | \(line.figure) | \(line.ask) |")
    }
  }

  private func remove() {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      // The system clears its folder of temporary files.
    }
  }

  private func lines(_ url: String, _ fsync: Double) throws -> [Line] {
    try snapshots(url) + queries(url) + changes(url, fsync)
  }

  private func snapshots(_ url: String) throws -> [Line] {
    var (first, cached): ([Double], [Double]) = ([], [])
    for number in 0..<repeats {
      first += try run(.firstSnapshot, url, "snapshot-\(number)", middle)
      cached += try run(.cachedSnapshot, url, "snapshot-\(number)", middle)
    }
    return [
      Line(
        measure: "first snapshot of \(middle) documents, empty cache",
        figure: "\(text(median(first))) ms",
        ask: "1,000 ms"
      ),
      Line(
        measure: "the same from the cache, offline",
        figure: "\(text(median(cached))) ms",
        ask: "300 ms"
      ),
    ]
  }

  private func queries(_ url: String) throws -> [Line] {
    _ = try run(.fill, url, "large", large)
    let scan = try run(.scan, url, "large", large)
    let start = try (0..<repeats).flatMap { _ in try run(.start, url, "large", large) }
    _ = try run(.makeIndex, url, "large", large)
    let index = try run(.index, url, "large", large)
    return [
      Line(
        measure: "query of 20 among \(large) cached documents, index",
        figure: "\(text(median(index))) ms",
        ask: "5 ms"
      ),
      Line(
        measure: "the same without an index",
        figure: "\(text(median(scan))) ms",
        ask: "600 ms"
      ),
      Line(
        measure: "start with \(large) cached documents to a first snapshot of 20",
        figure: "\(text(median(start))) ms",
        ask: "150 ms"
      ),
    ]
  }

  private func changes(_ url: String, _ fsync: Double) throws -> [Line] {
    let local = try run(.localWrite, url, "local", small)
    let queued = try (0..<repeats).flatMap { try run(.queuedWrites, url, "queued-\($0)", writes) }
    let other = try run(.otherClient, url, "other", isQuick ? 100 : 500)
    let seen = stride(from: 0, to: other.count, by: 2).map { other[$0] }
    let answered = stride(from: 1, to: other.count, by: 2).map { other[$0] }
    let memory = try run(.memory, url, "memory", 1_000)
    return [
      Line(
        measure: "local `setData` to its snapshot, listener of \(small)",
        figure: "p50 \(text(median(local))) ms, p99 \(text(percentile(local, 99))) ms",
        ask: "p50 2 ms, p99 10 ms"
      ),
      Line(
        measure: "\(writes) queued writes to the last acknowledgement",
        figure: "\(text(median(queued))) ms",
        ask: "\(text((1_500 + 1_000 * fsync) * Double(writes) / 1_000)) ms"
      ),
      Line(
        measure: "another client's write to our snapshot",
        figure: "p50 \(text(median(seen))) ms; its own answer \(text(median(answered))) ms",
        ask: "p50 3 ms beyond the delivery"
      ),
      Line(
        measure: "memory of 10 listeners of 1,000 documents",
        figure: "\(text(median(memory) / 1_048_576)) MB",
        ask: "20 MB"
      ),
    ]
  }

  // MARK: Processes

  /// Runs a row in a process with a folder for its state, and returns its figures.
  private func run(_ row: Row, _ url: String, _ state: String, _ size: Int) throws -> [Double] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [
      row.rawValue, url, project, folder.appendingPathComponent(state).path, "\(size)",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    guard process.terminationStatus == 0 else { throw RowFailed(row: row, output: text) }
    return text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  }

  // MARK: Figures

  /// Returns the median time in milliseconds that the disk takes to sync a page that was appended.
  private func fsyncs() throws -> Double {
    let file = folder.appendingPathComponent("fsync")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { handle.closeFile() }
    let clock = ContinuousClock()
    var figures: [Double] = []
    for _ in 0..<100 {
      try handle.write(contentsOf: Data(count: 4_096))
      let took = try clock.measure { try handle.synchronize() }
      figures.append(Double(took.components.attoseconds) / 1e15)
    }
    return median(figures)
  }

  private func median(_ figures: [Double]) -> Double { percentile(figures, 50) }

  private func percentile(_ figures: [Double], _ percent: Int) -> Double {
    let sorted = figures.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count * percent / 100, sorted.count - 1)]
  }

  private func text(_ figure: Double) -> String {
    String(format: figure < 100 ? "%.1f" : "%.0f", figure)
  }
}
