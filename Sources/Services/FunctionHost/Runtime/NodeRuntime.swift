import BaseJSON
import BaseStatus
import Foundation

/// Installs and runs codebases in Node.
struct NodeRuntime: LanguageRuntime {
  let configuration: FunctionHostConfiguration
  let programs: ProgramRunner
  let asksForCallKey = true

  private var support: String { DeploymentFolder(configuration: configuration).support }

  func interpreter() async throws -> Interpreter {
    var program = ConfinedProgram(executable: "/usr/bin/env", directory: "/")
    program.arguments = [configuration.node, "-e", Self.inspection]
    program.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    program.isConfined = false
    let result = try await programs.run(program, seconds: 30)
    let lines = result.output.split(separator: "\n").map(String.init)
    guard result.isSuccess, lines.count == 3 else {
      throw ServiceError(
        .failedPrecondition,
        "There is no Node with npm at \(configuration.node). Install both, or set BRASA_FUNCTIONS_NODE=/path/to/node"
      )
    }
    // `/opt/node/bin/node` has its libraries below `/opt/node`.
    let prefix = ((lines[0] as NSString).deletingLastPathComponent as NSString)
      .deletingLastPathComponent
    // `…/npm/bin/npm-cli.js`
    let npm = ((lines[2] as NSString).deletingLastPathComponent as NSString)
      .deletingLastPathComponent
    var interpreter = Interpreter(
      executable: lines[0],
      folders: [lines[0], prefix + "/lib", npm].filter { $0 != "/lib" },
      version: lines[1]
    )
    interpreter.installer = lines[2]
    return interpreter
  }

  /// Prints the program, its version and npm's.
  private static let inspection = """
    const fs = require("fs"), path = require("path");
    const inPath = process.env.PATH.split(":").map((folder) => path.join(folder, "npm"));
    const beside = path.join(path.dirname(process.execPath), "npm");
    const npm = [beside, ...inPath].find((file) => fs.existsSync(file));
    console.log(fs.realpathSync(process.execPath) + "\\n" + process.version + "\\n" + fs.realpathSync(npm));
    """

  /// The text of a source's package, and that of its locked versions.
  private static func package(of source: SourceTree) -> (text: String, lock: String?) {
    // If both files are there, npm reads the second.
    let locks = ["package-lock.json", "npm-shrinkwrap.json"].compactMap { source.text(of: $0) }
    return (
      source.text(of: "package.json") ?? "", locks.isEmpty ? nil : locks.joined(separator: "\n")
    )
  }

  func environment(of source: SourceTree, _ interpreter: Interpreter) -> String {
    let (package, lock) = Self.package(of: source)
    return Self.environmentName(
      .node,
      interpreter.version,
      Self.isLocal(package + (lock ?? "")) ? source.digest : "",
      package,
      lock ?? "",
      source.text(of: ".npmrc") ?? ""
    )
  }

  func install(
    _ source: SourceTree,
    _ interpreter: Interpreter,
    scratch: String,
    cache: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> String {
    let (package, lock) = Self.package(of: source)
    let isLocal = Self.isLocal(package + (lock ?? ""))
    let name = environment(of: source, interpreter)
    let folder = "\(configuration.environments)/\(name)"
    let manager = FileManager.default
    if manager.fileExists(atPath: "\(folder)/.complete") {
      tell("packages are installed already")
      return name
    }
    try? manager.removeItem(atPath: folder)
    if isLocal {
      try source.write(to: folder)
    } else {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for file in source.files where Self.copied.contains(file.path) {
        try file.bytes.write(to: URL(fileURLWithPath: "\(folder)/\(file.path)"))
      }
    }
    tell("installing packages for Node \(interpreter.version)")
    let program = try installer(
      interpreter,
      isLocked: lock != nil,
      scratch: scratch,
      cache: cache,
      folder: folder
    )
    try await check(
      programs.run(program, seconds: 900, tell: tell),
      "The packages of package.json can't be installed"
    )
    let packages = "\(folder)/node_modules"
    if !manager.fileExists(atPath: packages) {
      try manager.createDirectory(atPath: packages, withIntermediateDirectories: true)
    }
    guard manager.createFile(atPath: "\(folder)/.complete", contents: Data()) else {
      throw ServiceError(.unavailable, "\(folder) can't be written.")
    }
    return name
  }

  private static let copied: Set<String> = [
    "package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc",
  ]

  /// Returns true where an installation reads other files of the source: packages in folders, or scripts of its own.
  private static func isLocal(_ text: String) -> Bool {
    ["file:", "link:", "\"workspaces\"", "install\"", "\"prepare\"", ".tgz"].contains {
      text.contains($0)
    }
  }

  /// npm with the rights of an installation.
  private func installer(
    _ interpreter: Interpreter,
    isLocked: Bool,
    scratch: String,
    cache: String,
    folder: String
  ) throws -> ConfinedProgram {
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    var program = ConfinedProgram(executable: interpreter.executable, directory: folder)
    program.arguments = [
      interpreter.installer, isLocked ? "ci" : "install", "--omit=dev", "--no-audit", "--no-fund",
      "--no-update-notifier", "--loglevel=error",
    ]
    program.readable = interpreter.folders
    program.writable = [folder, scratch, cache]
    program.memoryBytes = 4 << 30
    program.processes = 256
    program.files = 4_096
    program.environment = Self.environment(interpreter, scratch)
    program.environment["npm_config_cache"] = cache
    passOn(
      [
        "npm_config_registry", "NPM_CONFIG_REGISTRY", "HTTPS_PROXY", "https_proxy", "NO_PROXY",
        "no_proxy", "NODE_EXTRA_CA_CERTS",
      ],
      to: &program
    )
    return program
  }

  func discover(
    _ deployment: (source: String, environment: String),
    _ interpreter: Interpreter,
    variables: [String: String],
    scratch: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> JSONValue {
    var program = ConfinedProgram(
      executable: interpreter.executable,
      directory: deployment.source
    )
    let output = "\(scratch)/manifest.json"
    program.arguments = ["\(support)/discover.cjs", output]
    program.readable = readable(deployment.source, deployment.environment, interpreter)
    program.writable = [scratch]
    program.memoryBytes = 2 << 30
    program.environment = variables.merging(Self.environment(interpreter, scratch)) { $1 }
    // There is no metadata server yet.
    program.environment["METADATA_SERVER_DETECTION"] = "none"
    let result = try await programs.run(program, seconds: 60, tell: tell)
    return try manifest(result, at: output)
  }

  func server(
    source: String,
    environment: String,
    _ interpreter: Interpreter,
    endpoint: FunctionEndpoint,
    scratch: String
  ) -> ConfinedProgram {
    var program = ConfinedProgram(executable: interpreter.executable, directory: source)
    // The young generation beside it makes the process larger than its heap.
    let heap = max(endpoint.memoryMegabytes * 3 / 4, 32)
    program.arguments = ["--max-old-space-size=\(heap)"]
    if !configuration.isDevelopment { program.arguments += ["--require", "\(support)/tokens.cjs"] }
    program.arguments.append("\(support)/serve.cjs")
    program.readable = readable(source, environment, interpreter)
    program.writable = [scratch]
    program.memoryBytes = endpoint.memoryMegabytes << 20
    program.threads += endpoint.concurrency
    program.environment = Self.environment(interpreter, scratch)
    program.environment["HOST"] = "127.0.0.1"
    return program
  }

  private func readable(
    _ source: String,
    _ environment: String,
    _ interpreter: Interpreter
  ) -> [String] {
    interpreter.folders + [source, support, "\(configuration.environments)/\(environment)"]
  }

  private static func environment(
    _ interpreter: Interpreter,
    _ scratch: String
  ) -> [String: String] {
    let folder = (interpreter.executable as NSString).deletingLastPathComponent
    return [
      "PATH": "\(folder):/usr/local/bin:/usr/bin:/bin", "HOME": scratch, "TMPDIR": scratch,
      "LANG": "C.UTF-8", "TZ": "UTC", "NODE_ENV": "production",
    ]
  }
}
