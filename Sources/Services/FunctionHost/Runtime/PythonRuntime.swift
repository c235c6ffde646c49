import BaseJSON
import BaseStatus
import Foundation

/// Installs and runs codebases in Python.
struct PythonRuntime: LanguageRuntime {
  let configuration: FunctionHostConfiguration
  let programs: ProgramRunner
  /// Google's framework serves all callers; the SDK verifies tokens itself.
  let asksForCallKey = false

  /// Finds the interpreter that the operator named; runs it with the server's rights.
  func interpreter() async throws -> Interpreter {
    let script =
      "import os,sys;print(os.path.realpath(sys.executable));print(sys.base_prefix);print(sys.version.split()[0])"
    var program = ConfinedProgram(executable: "/usr/bin/env", directory: "/")
    program.arguments = [configuration.python, "-c", script]
    program.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    if let home = ProcessInfo.processInfo.environment["HOME"] { program.environment["HOME"] = home }
    program.isConfined = false
    let result = try await programs.run(program, seconds: 30)
    let lines = result.output.split(separator: "\n").map(String.init)
    guard result.isSuccess, lines.count == 3 else {
      throw ServiceError(
        .failedPrecondition,
        "There is no Python at \(configuration.python). Install it with its venv module, or set BRASA_FUNCTIONS_PYTHON=/path/to/python3"
      )
    }
    let folder = (lines[0] as NSString).deletingLastPathComponent
    return Interpreter(executable: lines[0], folders: [lines[1], folder], version: lines[2])
  }

  /// True where an environment is there with all its packages.
  func isInstalled(_ environment: String) -> Bool {
    FileManager.default.fileExists(
      atPath: "\(configuration.environments)/\(environment)/.complete"
    )
  }

  /// The text of a source's requirements, without which it can't be installed.
  private static func requirements(of source: SourceTree) throws -> String {
    guard let requirements = source.text(of: "requirements.txt") else {
      throw ServiceError.invalidArgument(
        "The source has no requirements.txt. Add one that names firebase-functions."
      )
    }
    return requirements
  }

  /// The name of the folder of a source's packages.
  func environment(of source: SourceTree, _ interpreter: Interpreter) throws -> String {
    let requirements = try Self.requirements(of: source)
    // A requirement that is a path of the source depends on the source's files.
    return Self.environmentName(
      .python,
      interpreter.version,
      Self.isLocal(requirements) ? source.digest : "",
      requirements
    )
  }

  /// Installs what a source needs, unless an earlier deployment did; returns the folder's name.
  func install(
    _ source: SourceTree,
    _ interpreter: Interpreter,
    scratch: String,
    cache: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> String {
    let requirements = try Self.requirements(of: source)
    let isLocal = Self.isLocal(requirements)
    let name = try environment(of: source, interpreter)
    let folder = "\(configuration.environments)/\(name)"
    let manager = FileManager.default
    if isInstalled(name) {
      tell("packages are installed already")
      return name
    }
    try? manager.removeItem(atPath: folder)
    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try manager.createDirectory(atPath: cache, withIntermediateDirectories: true)
    // Builds write beside what they build: they get a copy.
    let copy = "\(scratch)/source"
    if isLocal {
      try source.write(to: copy)
    } else {
      // Sources with the same requirements share the installed packages: nothing else of this one
      // is there.
      try manager.createDirectory(atPath: copy, withIntermediateDirectories: true)
      try Data(requirements.utf8).write(to: URL(fileURLWithPath: "\(copy)/requirements.txt"))
    }
    var program = installer(interpreter, in: copy, scratch: scratch, cache: cache, folder: folder)
    tell("creating an environment of Python \(interpreter.version)")
    // Isolated: no module of the source takes the place of one of Python's.
    program.arguments = ["-I", "-m", "venv", folder]
    try await check(
      programs.run(program, seconds: 120, tell: tell),
      "The environment can't be created"
    )
    program.executable = "\(folder)/bin/python"
    program.arguments = Self.pipArguments
    try await check(
      programs.run(program, seconds: 900, tell: tell),
      "The packages of requirements.txt can't be installed"
    )
    guard manager.createFile(atPath: "\(folder)/.complete", contents: Data()) else {
      throw ServiceError(.unavailable, "\(folder) can't be written.")
    }
    return name
  }

  private static let pipArguments = [
    "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar",
    "off", "-r", "requirements.txt",
  ]

  /// Returns false for requirements that all name packages of an index, with versions and markers.
  ///
  /// Others may read files of the source: options, paths, archives, URLs, and continued lines.
  static func isLocal(_ requirements: String) -> Bool {
    requirements.split(whereSeparator: \.isNewline).contains { line in
      let line = line.drop(while: \.isWhitespace)
      if line.isEmpty || line.hasPrefix("#") { return false }
      let bytes = line.prefix { $0 != "#" }.utf8
      let begins = bytes.first.map { UInt8(ascii: "-") != $0 && UInt8(ascii: ".") != $0 } ?? false
      let archives = [".whl", ".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".egg"]
      return !begins || archives.contains { line.lowercased().contains($0) }
        || bytes.contains {
          "/\\@:$".utf8.contains($0) || $0 >= 0x7F || $0 < 0x20 && $0 != UInt8(ascii: "\t")
        }
    }
  }

  /// The interpreter with the rights of an installation, still without arguments.
  private func installer(
    _ interpreter: Interpreter,
    in directory: String,
    scratch: String,
    cache: String,
    folder: String
  ) -> ConfinedProgram {
    var program = ConfinedProgram(executable: interpreter.executable, directory: directory)
    program.readable = interpreter.folders
    program.writable = [folder, scratch, cache]
    program.memoryBytes = 4 << 30
    program.processes = 256
    program.files = 4_096
    program.environment = Self.environment(folder, scratch)
    program.environment["PIP_CACHE_DIR"] = cache
    passOn(Self.passedOn, to: &program)
    return program
  }

  /// Variables of the server by which an operator says where packages come from.
  private static let passedOn = [
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT", "HTTPS_PROXY",
    "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE",
  ]

  /// Asks Google's SDK for the functions of a source.
  func discover(
    _ deployment: (source: String, environment: String),
    _ interpreter: Interpreter,
    variables: [String: String],
    scratch: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> JSONValue {
    let folder = "\(configuration.environments)/\(deployment.environment)"
    var program = ConfinedProgram(
      executable: "\(folder)/bin/python",
      directory: deployment.source
    )
    let output = "\(scratch)/manifest.json"
    program.arguments = ["-c", Self.discovery, output]
    program.readable = interpreter.folders + [folder, deployment.source]
    program.writable = [scratch]
    program.memoryBytes = 2 << 30
    program.environment = variables.merging(Self.environment(folder, scratch)) { $1 }
    // There is no metadata server yet.
    program.environment["NO_GCE_CHECK"] = "true"
    let result = try await programs.run(program, seconds: 60, tell: tell)
    return try manifest(result, at: output)
  }

  /// The program that serves one function.
  func server(
    source: String,
    environment: String,
    _ interpreter: Interpreter,
    endpoint: FunctionEndpoint,
    scratch: String
  ) -> ConfinedProgram {
    let folder = "\(configuration.environments)/\(environment)"
    var program = ConfinedProgram(executable: "\(folder)/bin/python", directory: source)
    program.arguments = ["-m", "functions_framework"]
    program.readable = interpreter.folders + [folder, source]
    program.writable = [scratch]
    program.memoryBytes = endpoint.memoryMegabytes << 20
    program.threads += endpoint.concurrency
    program.environment = Self.environment(folder, scratch)
    program.environment["DEBUG"] = "False"
    program.environment["HOST"] = "127.0.0.1"
    program.environment["THREADS"] = "\(endpoint.concurrency)"
    program.environment["WORKERS"] = "1"
    program.environment["LOG_EXECUTION_ID"] = "true"
    if !configuration.isDevelopment { program.environment["BRASA_VERIFY_TOKENS"] = "1" }
    let support = DeploymentFolder(configuration: configuration).support
    program.readable.append(support)
    program.environment["PYTHONPATH"] = support
    return program
  }

  private static func environment(_ folder: String, _ scratch: String) -> [String: String] {
    [
      "PATH": "\(folder)/bin:/usr/local/bin:/usr/bin:/bin", "HOME": scratch, "TMPDIR": scratch,
      "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1",
      "VIRTUAL_ENV": folder,
    ]
  }

  /// Starts the SDK's own server of manifests, and writes what it says as JSON.
  private static let discovery = """
    import importlib.util, json, os, socket, subprocess, sys, time, urllib.error, urllib.request
    try:
        import yaml
        serving = importlib.util.find_spec("firebase_functions.private.serving").origin
    except Exception:
        sys.exit("requirements.txt does not name firebase-functions.")
    def write(text):
        with open(sys.argv[1], "w") as file:
            json.dump(yaml.safe_load(text), file)
    if os.path.exists("functions.yaml"):
        with open("functions.yaml") as file:
            write(file.read())
        sys.exit(0)
    log = sys.argv[1] + ".log"
    def start():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with open(log, "wb") as file:
            process = subprocess.Popen([sys.executable, serving], env={**os.environ, "ADMIN_PORT": str(port)}, stdout=file, stderr=file)
        return process, "http://127.0.0.1:%d/__/" % port
    def end():
        process.kill()
        process.wait()
    def fail(reason):
        end()
        with open(log, errors="replace") as file:
            sys.stderr.write(file.read()[-6000:])
        sys.exit(reason)
    # Another program may take the port before the SDK's server does, and respond in its place.
    def is_foreign(response):
        return "Werkzeug" not in (response.headers.get("Server") or "")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + float(os.environ.get("FUNCTIONS_DISCOVERY_TIMEOUT", "40"))
    process, address = start()
    while True:
        try:
            response = opener.open(address + "functions.yaml", timeout=40)
        except urllib.error.HTTPError as error:
            response = error
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                fail("The SDK's server of manifests did not start.")
            time.sleep(0.05)
            continue
        with response:
            if is_foreign(response):
                end()
                process, address = start()
            elif response.status != 200:
                fail("main.py can't be loaded.")
            else:
                text = response.read().decode()
                break
    end()
    write(text)
    """
}
