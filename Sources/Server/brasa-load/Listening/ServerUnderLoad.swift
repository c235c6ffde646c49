import Foundation

/// The server that is loaded: one that runs already, or one that this program starts, which it can
/// also stop, kill and start again.
final class ServerUnderLoad {
  private let program: String?
  private let directory: String
  private var process: Process?
  /// The port on which it listens.
  private(set) var port: Int
  private(set) var processID: Int32?

  /// A server that runs already.
  init(port: Int, processID: Int32?) {
    (program, directory) = (nil, "")
    (self.port, self.processID) = (port, processID)
  }

  /// Starts a server on an empty directory of its own, which `remove` deletes.
  init(program: String) throws {
    self.program = program
    directory = NSTemporaryDirectory() + "brasa-load-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: false
    )
    port = 0
    try start()
  }

  /// True if this program started it.
  var isOurs: Bool { program != nil }

  /// Starts the server and waits until it says that it listens.
  func start() throws {
    guard let program else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["serve", "--dev", "--port", "\(port)", "--data", directory + "/data"]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    process.standardError = try log()
    try process.run()
    self.process = process
    processID = process.processIdentifier
    var said = Data()
    while !said.contains(0x0A) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw LoadError.refused("\(program) did not start") }
      said += more
    }
    let line = String(decoding: said, as: UTF8.self)
    guard let text = line.split(separator: " ").first(where: { $0.hasPrefix("port=") }),
      let number = Int(text.dropFirst(5))
    else { throw LoadError.refused("\(program) said \(line)") }
    port = number
  }

  /// Stops it as an operator does, or with kill -9, and waits for its end.
  func stop(kill isKill: Bool = false) {
    guard let process else { return }
    if isKill { kill(process.processIdentifier, SIGKILL) } else { process.terminate() }
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops it and deletes what it wrote.
  func remove() throws {
    stop()
    if isOurs { try FileManager.default.removeItem(atPath: directory) }
  }

  /// Returns the memory and other resources of the system that it holds now; nil if they cannot be
  /// known.
  func resources() -> ServerResources? { processID.flatMap(ServerResources.init) }

  private func log() throws -> FileHandle {
    let path = directory + "/log"
    if !FileManager.default.fileExists(atPath: path),
      !FileManager.default.createFile(atPath: path, contents: nil)
    {
      throw LoadError.refused("\(path) cannot be written")
    }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw LoadError.refused("\(path) cannot be written")
    }
    file.seekToEndOfFile()
    return file
  }
}

/// The resources that a process holds, as Linux reports them.
struct ServerResources {
  let residentBytes: Int
  let threads: Int
  let descriptors: Int
  /// Time on processors, all threads together; unlike latencies it hardly depends on who else
  /// uses the machine.
  let processorSeconds: Double

  init?(processID: Int32) {
    let directory = "/proc/\(processID)"
    guard let status = try? String(contentsOfFile: directory + "/status", encoding: .utf8),
      let resident = Self.number(after: "VmRSS:", in: status),
      let threads = Self.number(after: "Threads:", in: status)
    else { return nil }
    residentBytes = resident * 1024
    self.threads = threads
    processorSeconds = Self.processorSeconds(directory) ?? 0
    descriptors =
      (try? FileManager.default.contentsOfDirectory(atPath: directory + "/fd").count) ?? 0
  }

  /// Returns the resources that this program holds.
  static func ours() -> ServerResources? { ServerResources(processID: getpid()) }

  /// Fields 14 and 15 of `stat`, counted behind the name, which may hold anything.
  private static func processorSeconds(_ directory: String) -> Double? {
    guard let text = try? String(contentsOfFile: directory + "/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return nil
    }
    return (user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  private static func number(after name: String, in text: String) -> Int? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
      .flatMap { Int($0) }
  }
}
