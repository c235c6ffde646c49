import Foundation
import Testing

/// Runs `engine-fault-driver` with the shim before it, in a directory of its own.
struct FaultedDriver {
  struct Outcome {
    let status: Int32
    let marks: [String]
    let printed: String
    let trace: Trace
  }

  let scratch: Scratch

  init(_ scratch: Scratch) {
    self.scratch = scratch
  }

  /// Runs that many groups, with faults as the shim's environment names them.
  ///
  /// Unless `fromStart` is set, the faults are counted from when the engine is open. With `retries`
  /// groups that fail are tried again; with `isShared` each is many writes that share one group; with
  /// `closes` the engine is closed after a group that failed, not left to the end of the process.
  func run(
    first: Int,
    count: Int,
    faults: [String: String] = [:],
    fromStart: Bool = false,
    retries: Bool = false,
    isShared: Bool = false,
    closes: Bool = false
  ) throws -> Outcome {
    let marks = scratch.path + "/marks"
    let trace = scratch.path + "/trace"
    for file in [marks, trace] {
      try? FileManager.default.removeItem(atPath: file)
    }
    let process = Process()
    process.executableURL = try Self.driver()
    let mode = retries ? ["retry"] : isShared ? ["shared"] : closes ? ["close"] : []
    process.arguments = [scratch.data, marks, "\(first)", "\(count)"] + mode
    var environment = faults
    environment["LD_PRELOAD"] = try Self.shim.get()
    environment["BRASA_FAULT_DIR"] = scratch.data
    environment["BRASA_FAULT_TRACE"] = trace
    environment["BRASA_FAULT_MARK"] = marks
    environment["BRASA_FAULT_WAIT"] = fromStart ? nil : "1"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = try String(contentsOfFile: marks, encoding: .utf8).split(separator: "\n")
    return Outcome(
      status: process.terminationStatus,
      marks: lines.map(String.init),
      printed: String(decoding: printed, as: UTF8.self),
      trace: try Trace(parsing: Array(Data(contentsOf: URL(fileURLWithPath: trace))))
    )
  }

  /// The shim, built once a test run into a temporary directory.
  private static let shim = Result {
    let source = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Faults/shim.c")
    let library = NSTemporaryDirectory() + "brasa-fault-shim-\(getpid()).so"
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", library, source.path, "-lpthread"]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0, "the shim does not compile")
    return library
  }

  /// The driver lies beside the program that runs the tests.
  private static func driver() throws -> URL {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
      .appendingPathComponent("engine-fault-driver")
  }
}
