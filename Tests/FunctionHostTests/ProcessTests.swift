import BaseStatus
import CLauncher
import Foundation
import Testing

@testable import FunctionHost

/// Programs in their bounds, on systems that have Landlock.
@Suite(.enabled(if: brasa_landlock_version() > 0)) struct ProcessTests {
  private static let thread = ProcessThread()

  private static func run(
    _ script: String,
    seconds: Double = 30,
    change: (inout ConfinedProgram) -> Void = { _ in }
  ) async throws -> ProgramRunner.Result {
    var program = ConfinedProgram(executable: "/bin/sh", directory: "/usr")
    program.arguments = ["-c", script]
    program.environment = ["PATH": "/usr/bin:/bin"]
    change(&program)
    return try await ProgramRunner(thread: thread).run(program, seconds: seconds)
  }

  private static func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.path + "/functions-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }

  @Test func `a program's output and end are seen`() async throws {
    let result = try await Self.run("echo out; echo err >&2; exit 3")
    #expect(result.end == .exited(3))
    #expect(result.output == "out\n")
    #expect(result.tail.contains("err"))
  }

  @Test func `a confined program reads and writes what was named alone`() async throws {
    try await Self.withFolder { folder in
      try "secret".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
      let refused = try await Self.run("cat \(folder)/file; echo x > \(folder)/other; ls \(folder)")
      #expect(!refused.output.contains("secret"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/other"))
      let reading = try await Self.run("cat \(folder)/file; echo x > \(folder)/other") {
        $0.readable = [folder]
      }
      #expect(reading.output == "secret")
      #expect(!FileManager.default.fileExists(atPath: folder + "/other"))
      let writing = try await Self.run("echo x > \(folder)/other") { $0.writable = [folder] }
      #expect(writing.isSuccess)
    }
  }

  @Test func `a confined program has no privileges and no descriptors`() async throws {
    let result = try await Self.run(
      "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; ls /proc/self/fd | wc -l"
    )
    #expect(result.output.contains("CapEff:\t0000000000000000"))
    #expect(result.output.contains("NoNewPrivs:\t1"))
    #expect(result.output.contains("Seccomp:\t2"))
    // Those of standard, and that of `ls` itself.
    #expect(result.output.hasSuffix("4\n"))
  }

  @Test func `a confined program can't signal the server`() async throws {
    let result = try await Self.run("kill -0 \(getpid()) && echo reached")
    #expect(!result.output.contains("reached"))
  }

  @Test func `a program ends with all that it started`() async throws {
    let result = try await Self.run("sleep 1000 & echo $!; wait", seconds: 0.2)
    #expect(result.end == .signalled(9))
    let child = try #require(Int32(result.output.split(separator: "\n").first ?? ""))
    while !Task.isCancelled, kill(child, 0) == 0,
      ProcessTable.read().members(of: child).contains(where: { $0.process == child })
    {
      await Task.yield()
    }
  }

  @Test func `a guard that loses its server ends the groups that it watches`() async throws {
    // The first process has no signal of the kernel's here, as the others of a program have none.
    let watched = try await Self.groupWithChild()
    let forgotten = try await Self.groupWithChild()
    let processGuard = ProcessGuard()
    for group in [watched, forgotten] { processGuard.watch(group.leader) }
    processGuard.forget(forgotten.leader)
    try Self.awaitEnd(of: processGuard.abandon())
    #expect(await watched.end() == .signalled(9))
    while !Task.isCancelled, kill(watched.child, 0) == 0,
      ProcessTable.read().members(of: watched.child)
        .contains(where: { $0.process == watched.child })
    {
      await Task.yield()
    }
    #expect(kill(forgotten.child, 0) == 0)
    Self.thread.signal(forgotten.leader, SIGKILL)
    #expect(await forgotten.end() == .signalled(9))
  }

  @Test func `a guard that was killed starts again and knows all groups`() async throws {
    let groups = [try await Self.groupWithChild(), try await Self.groupWithChild()]
    let processGuard = ProcessGuard()
    processGuard.watch(groups[0].leader)
    let first = try #require(processGuard.process)
    #expect(kill(first, SIGKILL) == 0)
    // Its exit status stays for the guard's own wait.
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(first), &information, WEXITED | WNOWAIT) == 0)
    processGuard.watch(groups[1].leader)
    #expect(processGuard.process != first)
    #expect(waitpid(first, nil, WNOHANG) == -1)
    try Self.awaitEnd(of: processGuard.abandon())
    for group in groups { #expect(await group.end() == .signalled(9)) }
  }

  @Test func `a guard that is told of many groups hears of each`() async throws {
    let group = try await Self.groupWithChild()
    let processGuard = ProcessGuard()
    // More than its socket holds at once; none of these numbers is a group of ours.
    let others = (1...1_000).map { pid_t(1_000_000_000 + $0) }
    for other in others { processGuard.watch(other) }
    processGuard.watch(group.leader)
    for other in others { processGuard.forget(other) }
    while !Task.isCancelled, processGuard.isBehind {
      processGuard.tellRest()
      await Task.yield()
    }
    try Self.awaitEnd(of: processGuard.abandon())
    #expect(await group.end() == .signalled(9))
  }

  @Test func `a guard that is dropped leaves neither itself nor its groups`() async throws {
    let group = try await Self.groupWithChild()
    var processGuard: ProcessGuard? = ProcessGuard()
    processGuard?.watch(group.leader)
    let process = try #require(processGuard?.process)
    processGuard = nil
    #expect(waitpid(process, nil, WNOHANG) == -1)
    #expect(await group.end() == .signalled(9))
  }

  /// Waits for a guard, which ends soon after it was abandoned.
  private static func awaitEnd(of process: pid_t?) throws {
    let process = try #require(process)
    #expect(waitpid(process, nil, 0) == process)
  }

  /// A program with a child that it waits for.
  private struct GroupWithChild {
    let leader: pid_t
    let child: pid_t
    let ends: AsyncStream<ProgramEnd>

    func end() async -> ProgramEnd? { await ends.first { _ in true } }
  }

  private static func groupWithChild() async throws -> GroupWithChild {
    var program = ConfinedProgram(executable: "/bin/sh", directory: "/usr")
    program.arguments = ["-c", "sleep 1000 & echo $!; wait"]
    program.environment = ["PATH": "/usr/bin:/bin"]
    let (output, written) = AsyncStream.makeStream(of: [UInt8].self)
    let (ends, ended) = AsyncStream.makeStream(of: ProgramEnd.self)
    let leader = try await thread.start(program) { bytes, _ in
      written.yield(bytes)
    } end: {
      ended.yield($0)
    }
    let line = await output.first { $0.contains(0x0A) } ?? []
    let child = try #require(pid_t(String(decoding: line.dropLast(), as: UTF8.self)))
    return GroupWithChild(leader: leader, child: child, ends: ends)
  }

  @Test func `memory and processes are bounded`() async throws {
    let hungry = try await Self.run(
      "x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x}; cat"
    ) {
      $0.memoryBytes = 64 << 20
    }
    guard case .memoryLimit(let used, 67_108_864) = hungry.end else {
      Issue.record("it \(hungry.end.text)")
      return
    }
    #expect(used > 64 << 20)
    #expect(hungry.end.text.contains("of 64 MB"))
    // What a process takes between two measurements has a bound of the kernel's.
    let mapped = try await Self.run("ulimit -d") { $0.memoryBytes = 64 << 20 }
    #expect(mapped.output == "\((8 * (64 << 20) + (2 << 30) + 64 * (8 << 20)) >> 10)\n")
    let forking = try await Self.run("while true; do sleep 1000 & done") { $0.processes = 32 }
    #expect(forking.end == .processLimit)
  }

  @Test func `nothing stays of processes that nobody waits for`() async throws {
    // They come to the nearest process that adopts orphans, which is the server.
    ProcessThread.adoptOrphans()
    let result = try await Self.run(
      "for i in 1 2 3 4 5; do (exit 0) & (sleep 1000) & done; echo $$; exit 0"
    )
    #expect(result.isSuccess)
    let session = try #require(pid_t(result.output.dropLast()))
    while !Task.isCancelled, ProcessTable.read().sessions.contains(session) { await Task.yield() }
    #expect(!ProcessTable.read().sessions.contains(session))
  }

  @Test func `memory that processes share counts once`() async throws {
    // Thirteen processes with the pages of one: together they would be over the limit, and the shell has some
    // copies of the text while it takes it.
    let copies = try await Self.run(
      "x=$(head -c 6000000 /dev/zero | tr '\\0' x); for i in 1 2 3 4 5 6 7 8 9 10 11 12; do (sleep 1; echo ${#x}) & done; wait"
    ) {
      $0.memoryBytes = 64 << 20
    }
    #expect(copies.isSuccess, "\(copies.end.text)")
    #expect(copies.output == String(repeating: "6000000\n", count: 12))
  }

  @Test func `a program that can't be started says why`() async {
    let error = await #expect(throws: ServiceError.self) {
      try await Self.run("") { $0.executable = "/usr/bin/absent" }
    }
    #expect(error?.message.contains("No such file") == true)
  }
}

/// Secrets on the disk.
@Suite struct SecretVaultTests {
  @Test func `secrets are sealed and need their key`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/vault-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let key = folder + "/key"
    let vault = SecretVault(folder: folder, keyFile: key)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try vault.set("API_KEY", to: "sk-0123456789", of: "shop")
    #expect(try vault.value("API_KEY", of: "shop") == "sk-0123456789")
    #expect(try vault.names(of: "shop") == ["API_KEY"])
    let kept = try String(contentsOfFile: folder + "/shop.json", encoding: .utf8)
    #expect(!kept.contains("sk-0123456789"))
    // Another project's file doesn't open with the same key.
    try FileManager.default.copyItem(atPath: folder + "/shop.json", toPath: folder + "/bank.json")
    #expect(throws: ServiceError.self) { try vault.value("API_KEY", of: "bank") }
    try FileManager.default.removeItem(atPath: key)
    #expect(throws: ServiceError.self) { try vault.value("API_KEY", of: "shop") }
    for name in ["", "A=B", "PORT", "FIREBASE_CONFIG"] {
      #expect(throws: ServiceError.self) { try vault.set(name, to: "x", of: "shop") }
    }
  }
}

/// The lines of instances.
@Suite struct LogTests {
  @Test func `lines are cut, read and masked`() {
    let logs = FunctionLogs { 1 }
    let key = FunctionLogs.Key(project: "shop", function: "greet")
    let lines = LogLines(logs, of: key, masking: ["sk-0123"])
    lines.take(Array("the key is sk-01".utf8), isError: false)
    lines.take(Array("23\n{\"severity\":\"WARNING\",\"message\":\"m\"}\nrest".utf8), isError: false)
    lines.finish()
    let entries = logs.entries(of: "shop", function: "greet", after: 0)
    #expect(entries.map(\.message) == ["the key is ***", "m", "rest"])
    #expect(entries.map(\.severity) == ["INFO", "WARNING", "INFO"])
    #expect(logs.entries(of: "bank", function: nil, after: 0).isEmpty)
  }

  @Test func `a flood takes bounded room`() {
    let logs = FunctionLogs { 1 }
    let key = FunctionLogs.Key(project: "shop", function: "loud")
    let lines = LogLines(logs, of: key, masking: [])
    let line = [UInt8](repeating: 120, count: 100_000) + [10]
    for _ in 0..<200 { lines.take(line, isError: false) }
    let entries = logs.entries(of: "shop", function: "loud", after: 0)
    #expect(entries.allSatisfy { $0.message.utf8.count <= FunctionLogs.longestLine })
    #expect(entries.reduce(0) { $0 + $1.message.utf8.count } <= FunctionLogs.bytesPerFunction)
    #expect(entries.last?.sequence == 200)
  }
}
