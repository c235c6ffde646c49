import CacheTestSupport
import FirestoreSync
import Foundation
import ModelTestSupport
import ScheduleTestSupport
import Testing

/// Processes that are killed in the middle of what they do lose nothing that they had accepted.
struct KillTests {
  private static let killsPerSchedule = 3

  private static var scheduleCount: Int {
    ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil ? 100 : 3
  }

  /// The program beside the test's own.
  private static var program: URL {
    if let path = ProcessInfo.processInfo.environment["BRASA_MORTAL_CLIENT"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("mortal-client")
  }

  @Test func `killed processes lose nothing and repeat nothing`() throws {
    for _ in 0..<Self.scheduleCount {
      let seed = UInt64.random(in: 0 ... .max)
      do {
        try run(seed: seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  private func run(seed: UInt64) throws {
    let file = try CacheFile()
    defer { file.remove() }
    var random = SeededSource(seed: seed)
    for _ in 0..<Self.killsPerSchedule {
      try runAndKill(
        file.folder,
        seed: random.next(),
        after: Int.random(in: 1...150, using: &random)
      )
    }
    var schedule = try MortalSchedule(folder: file.folder, seed: random.next())
    try schedule.finish(killed: Self.killsPerSchedule)
  }

  /// Runs the program, and kills it after it has done so many things; what it does then is left to chance.
  private func runAndKill(_ folder: URL, seed: UInt64, after count: Int) throws {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = [folder.path, "\(seed)"]
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var done = 0
    while done < count {
      let part = output.fileHandleForReading.availableData
      if part.isEmpty { break }
      done += part.count
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    guard done >= count else {
      let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      throw Violation("the process ended by itself: \(text)")
    }
  }
}

/// The schedules of the engine's tests, over stores in files.
struct DurableScheduleTests {
  @Test func `random schedules keep every promise over files`() async {
    let broken = await ScheduleSeeds.firstBroken(few: 20, slow: 10_000, Self.run)
    #expect(broken == nil)
  }

  private static func run(_ seed: UInt64) throws {
    let files = FileList()
    defer { files.remove() }
    try RandomSchedule(seed: seed, open: files.open).run()
  }

  /// The files of a schedule's clients.
  private final class FileList {
    private var files: [CacheFile] = []

    func open(_: Int, _: CollectionPolicy) throws -> ScheduleClient.OpenStore {
      let file = try CacheFile()
      files.append(file)
      return { try file.open() }
    }

    func remove() {
      for file in files { file.remove() }
    }
  }
}
