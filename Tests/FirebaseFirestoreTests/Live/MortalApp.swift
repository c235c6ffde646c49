import FirebaseFirestore
import Foundation
import SDKTestSupport

/// An app whose state outlives its processes: the program `mortal-app`, and this process in its place.
struct MortalApp {
  let project = "f-\(UUID().uuidString.lowercased())"
  let server: BrasaServer
  private let state = FileManager.default.temporaryDirectory
    .appendingPathComponent("mortal-\(UUID().uuidString)")

  /// The program ended by itself.
  struct Ended: Error {
    let output: String
  }

  init() throws { server = try BrasaServer.shared.get() }

  /// The app in this process, by the program's name unless another is given.
  func app(name: String? = nil) throws -> FirebaseApp {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.bundleID = "mortal-app"
    options.brasaHost = server.url
    options.stateDirectory = state
    return try FirebaseApp.configured(name: name ?? project, options: options)
  }

  /// The program beside the test's own.
  private static var program: URL {
    if let path = ProcessInfo.processInfo.environment["BRASA_MORTAL_APP"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("mortal-app")
  }

  /// Starts the program, and returns when its cache has accepted that many writes.
  func start(run: String, online: Bool, count: Int, until accepted: Int) throws -> Process {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = [
      state.path, server.url, project, run, online ? "online" : "offline", "\(count)",
    ]
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var seen = 0
    while seen < accepted {
      let part = output.fileHandleForReading.availableData
      if part.isEmpty {
        let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        throw Ended(output: text)
      }
      seen += part.count
    }
    return process
  }

  /// Starts the program and kills it when its cache has accepted that many writes.
  func runAndKill(run: String, online: Bool, count: Int, after accepted: Int) throws {
    Self.end(try start(run: run, online: online, count: count, until: accepted))
  }

  /// Kills the program.
  static func end(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Removes what the app kept.
  func remove() {
    do {
      try FileManager.default.removeItem(at: state)
    } catch {
      // The system clears its folder of temporary files.
    }
  }
}

/// The content of a counter of `mortal-app`.
struct Counter: Equatable {
  let count: Int
  let order: [Int]

  init(_ snapshot: DocumentSnapshot) {
    count = snapshot.get("n") as? Int ?? 0
    order = snapshot.get("order") as? [Int] ?? []
  }

  /// True if every write up to the last was applied once and in order.
  var isExact: Bool { count == order.count && order == Array(0..<count) }
}
