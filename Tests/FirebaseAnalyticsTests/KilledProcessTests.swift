import FirebaseInstallations
import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseAnalytics

/// Processes that are killed while they log lose no event whose call has returned, and leave nothing half.
struct KilledProcessTests {
  /// The program beside the test's own.
  private static var program: URL {
    if let path = ProcessInfo.processInfo.environment["BRASA_MORTAL_EVENTS"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("mortal-events")
  }

  private struct Ended: Error {
    let output: String
  }

  private struct Run {
    let name: String
    let process: Process
    let output: FileHandle
    let errors: FileHandle
    var dots = 0

    init(_ name: String, log: URL) throws {
      self.name = name
      process = Process()
      process.executableURL = KilledProcessTests.program
      process.arguments = [log.path, name]
      process.environment = ProcessInfo.processInfo.environment
        .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      let (output, errors) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      (self.output, self.errors) = (output.fileHandleForReading, errors.fileHandleForReading)
    }

    /// Reads until so many calls have returned.
    mutating func read(until count: Int) throws {
      while dots < count {
        let part = output.availableData
        guard !part.isEmpty else {
          throw Ended(output: String(decoding: errors.availableData, as: UTF8.self))
        }
        dots += part.count
      }
    }

    mutating func end() {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      dots += output.readDataToEndOfFile().count
    }
  }

  @Test func `killed processes, two at a time, lose nothing`() async throws {
    let intake = try Intake()
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    try FileManager.default.createDirectory(at: fixture.folder, withIntermediateDirectories: true)
    var accepted: [String: Int] = [:]
    for round in 0..<3 {
      var first = try Run("a\(round)", log: fixture.log)
      var second = try Run("b\(round)", log: fixture.log)
      try first.read(until: Int.random(in: 20...200))
      try second.read(until: Int.random(in: 1...100))
      first.end()
      second.end()
      accepted[first.name] = first.dots
      accepted[second.name] = second.dots
    }
    let collector = fixture.collector()
    let waiting = collector.waitingCount
    #expect(waiting >= accepted.values.reduce(0, +))
    collector.logEvent("last", [:])
    await intake.wait(for: waiting + 1)
    for (run, count) in accepted {
      let numbers = intake.taken.events.filter { $0.run == run }.compactMap(\.number)
      // One more may have been logged whose dot nobody has seen.
      #expect(numbers == Array(0..<Int64(numbers.count)), "run \(run)")
      #expect(numbers.count - count == 0 || numbers.count - count == 1, "run \(run)")
    }
    #expect(Set(intake.taken.events.map(\.sequence)).count == intake.taken.events.count)
  }

  @Test func `a process that fails leaves a report, and ends by its signal`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    try FileManager.default.createDirectory(at: fixture.folder, withIntermediateDirectories: true)
    let before = Int64(Date().timeIntervalSince1970)
    let run = try Run("crash", log: fixture.log)
    run.process.waitUntilExit()
    #expect(run.process.terminationReason == .uncaughtSignal)
    let file = fixture.log.appendingPathExtension("signal")
    let report = try #require(CrashReport(try Data(contentsOf: file)))
    #expect(report.signal == Int64(run.process.terminationStatus))
    #expect((before...before + 600).contains(report.timeMicros / 1_000_000))
    #expect(CrashReport(Data(repeating: 1, count: 15)) == nil && CrashReport(Data()) == nil)
  }
}
