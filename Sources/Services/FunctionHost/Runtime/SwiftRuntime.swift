import BaseJSON
import BaseStatus
import Foundation

/// Builds and runs codebases in Swift: one program, named `functions`, for all functions of a codebase.
///
/// A source without `Package.swift` is a program that was built elsewhere, in any language.
struct SwiftRuntime: LanguageRuntime {
  let configuration: FunctionHostConfiguration
  let programs: ProgramRunner
  let asksForCallKey = true

  /// The name of the product, and of a program that was built elsewhere.
  static let program = "functions"

  /// The compiler; one without a path where there is none, which only a source that has to be built needs.
  func interpreter() async throws -> Interpreter {
    var program = ConfinedProgram(executable: "/usr/bin/env", directory: "/")
    program.arguments = [configuration.swift, "--version"]
    program.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    program.isConfined = false
    let result = try await programs.run(program, seconds: 30)
    guard result.isSuccess, let path = compiler() else {
      return Interpreter(executable: "", folders: [], version: "")
    }
    // `/opt/swift/usr/bin/swift` has its libraries below `/opt/swift`.
    let usr = (path as NSString).deletingLastPathComponent + "/.."
    let folder = URL(fileURLWithPath: usr).standardizedFileURL.path
    return Interpreter(
      executable: path,
      folders: [folder == "/usr" ? folder : (folder as NSString).deletingLastPathComponent],
      version: String(result.output.split(separator: "\n").first ?? "")
    )
  }

  /// The path of the compiler, its links followed but for its own name.
  private func compiler() -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let candidates =
      configuration.swift.contains("/")
      ? [configuration.swift] : folders.map { "\($0)/\(configuration.swift)" }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }.map { path in
      // The driver goes by the name it is called with.
      let url = URL(fileURLWithPath: path)
      let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().path
      let own = folder + "/" + url.lastPathComponent
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: own),
        target.contains("/")
      else { return own }
      let real = URL(fileURLWithPath: own).resolvingSymlinksInPath()
      return real.deletingLastPathComponent().path + "/swift"
    }
  }

  func environment(of source: SourceTree, _ interpreter: Interpreter) -> String {
    Self.environmentName(.swift, interpreter.version, source.digest)
  }

  func install(
    _ source: SourceTree,
    _ interpreter: Interpreter,
    scratch: String,
    cache: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> String {
    let name = environment(of: source, interpreter)
    let folder = "\(configuration.environments)/\(name)"
    let manager = FileManager.default
    if manager.fileExists(atPath: "\(folder)/.complete") {
      tell("the program is built already")
      return name
    }
    try? manager.removeItem(atPath: folder)
    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let target = "\(folder)/\(Self.program)"
    if source.text(of: SourceLanguage.swift.mark) == nil {
      guard let built = source.files.first(where: { $0.path == Self.program }), built.isExecutable
      else {
        throw ServiceError.invalidArgument("The file functions of the source is not a program.")
      }
      try built.bytes.write(to: URL(fileURLWithPath: target))
    } else {
      let product = try await build(
        source,
        interpreter,
        scratch: scratch,
        cache: cache,
        tell: tell
      )
      try manager.copyItem(atPath: product, toPath: target)
    }
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target)
    guard manager.createFile(atPath: "\(folder)/.complete", contents: Data()) else {
      throw ServiceError(.unavailable, "\(folder) can't be written.")
    }
    return name
  }

  /// Builds the product, and returns its path.
  private func build(
    _ source: SourceTree,
    _ interpreter: Interpreter,
    scratch: String,
    cache: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> String {
    guard !interpreter.executable.isEmpty else {
      throw ServiceError(
        .failedPrecondition,
        "There is no Swift at \(configuration.swift). Install it, set BRASA_FUNCTIONS_SWIFT=/path/to/swift, or deploy a folder with the built program functions."
      )
    }
    let copy = "\(scratch)/source"
    try source.write(to: copy)
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    var program = ConfinedProgram(executable: interpreter.executable, directory: copy)
    program.arguments = [
      "build", "-c", "release", "--product", Self.program, "--static-swift-stdlib",
      "--disable-sandbox", "--scratch-path", "\(scratch)/build", "--cache-path", cache,
    ]
    program.readable = interpreter.folders + ["/etc/gitconfig"]
    program.writable = [scratch, cache]
    program.memoryBytes = 8 << 30
    program.processes = 256
    program.files = 4_096
    program.environment = Self.environment(interpreter, scratch)
    passOn(
      ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "GIT_SSL_CAINFO"],
      to: &program
    )
    tell("building the program")
    try await check(
      programs.run(program, seconds: 1_800, tell: tell),
      "The package can't be built"
    )
    return "\(scratch)/build/release/\(Self.program)"
  }

  func discover(
    _ deployment: (source: String, environment: String),
    _ interpreter: Interpreter,
    variables: [String: String],
    scratch: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> JSONValue {
    let output = "\(scratch)/manifest.json"
    var program = program(deployment.source, deployment.environment, interpreter, scratch)
    program.memoryBytes = 2 << 30
    program.environment.merge(variables) { own, _ in own }
    program.environment["FUNCTIONS_MANIFEST_OUTPUT_PATH"] = output
    return try manifest(try await programs.run(program, seconds: 60, tell: tell), at: output)
  }

  func server(
    source: String,
    environment: String,
    _ interpreter: Interpreter,
    endpoint: FunctionEndpoint,
    scratch: String
  ) -> ConfinedProgram {
    var program = program(source, environment, interpreter, scratch)
    program.memoryBytes = endpoint.memoryMegabytes << 20
    program.threads += endpoint.concurrency
    return program
  }

  private func program(
    _ source: String,
    _ environment: String,
    _ interpreter: Interpreter,
    _ scratch: String
  ) -> ConfinedProgram {
    let folder = "\(configuration.environments)/\(environment)"
    var program = ConfinedProgram(executable: "\(folder)/\(Self.program)", directory: source)
    // A program that was built elsewhere may have the libraries of the compiler.
    program.readable = interpreter.folders + [folder, source]
    program.writable = [scratch]
    program.environment = Self.environment(interpreter, scratch)
    return program
  }

  private static func environment(
    _ interpreter: Interpreter,
    _ scratch: String
  ) -> [String: String] {
    let folder = (interpreter.executable as NSString).deletingLastPathComponent
    return [
      "PATH": (folder.isEmpty ? "" : folder + ":") + "/usr/local/bin:/usr/bin:/bin",
      "HOME": scratch, "TMPDIR": scratch, "LANG": "C.UTF-8", "TZ": "UTC",
    ]
  }
}
