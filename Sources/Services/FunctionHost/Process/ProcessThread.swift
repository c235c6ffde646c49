import BaseStatus
import CLauncher
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread that starts programs, reads their output and sees their end.
///
/// One thread does all of it, since the kernel ends a program with the thread that started it (`PR_SET_PDEATHSIG`). A
/// process id is signalled by this thread alone and before it is reaped, so it is never another program's. It runs until
/// the process ends.
package final class ProcessThread: Sendable {
  /// The processes that were seen below a program.
  private let descendants = Mutex<Set<pid_t>>([])
  /// The sessions of programs, each the first process's number, in which processes may be left.
  private let sessions = Mutex<Set<pid_t>>([])
  /// Receives what a program writes, on the thread; must not block.
  package typealias OutputObserver = @Sendable (_ bytes: [UInt8], _ isError: Bool) -> Void
  /// Receives the end of a program, on the thread; must not block.
  package typealias EndObserver = @Sendable (ProgramEnd) -> Void

  /// Bytes that are read of one program's output in a tenth of a second; it waits with more.
  static let outputBytesPerTick = 1 << 20
  /// Milliseconds between looks at ended programs.
  private static let tick: Int32 = 100
  /// Ticks between measurements of memory and processes.
  private static let ticksPerMeasurement = 4

  private struct Start {
    let program: ConfinedProgram
    let output: OutputObserver
    let end: EndObserver
    let started: @Sendable (Result<pid_t, ServiceError>) -> Void
  }

  private enum Command {
    case start(Start)
    case signal(pid_t, Int32)
  }

  private let commands = Mutex<[Command]>([])
  private let processGuard = ProcessGuard()
  private let wakeReader: Int32
  private let wakeWriter: Int32

  /// Starts the thread.
  package init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no descriptors for a pipe")
    (wakeReader, wakeWriter) = (ends[0], ends[1])
    for descriptor in ends {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
    let thread = Thread { [self] in run() }
    thread.name = "functions"
    thread.start()
  }

  /// Starts a program; throws where it can't be started, and returns its process id, which is its group's as well.
  package func start(
    _ program: ConfinedProgram,
    output: @escaping OutputObserver,
    end: @escaping EndObserver
  ) async throws -> pid_t {
    let result = await withCheckedContinuation { continuation in
      send(
        .start(
          Start(program: program, output: output, end: end) { continuation.resume(returning: $0) }
        )
      )
    }
    return try result.get()
  }

  /// Makes this process the parent of what functions leave behind, so that it can end it.
  package static func adoptOrphans() {
    brasa_adopt_orphans()
  }

  /// Signals a program that this thread started; nothing happens where it has ended.
  package func signal(_ process: pid_t, _ number: Int32) { send(.signal(process, number)) }

  private func send(_ command: Command) {
    commands.withLock { $0.append(command) }
    var byte: UInt8 = 0
    _ = write(wakeWriter, &byte, 1)
  }

  // MARK: On the thread

  private final class Child {
    let program: ConfinedProgram
    let process: pid_t
    let output: OutputObserver
    let end: EndObserver
    var descriptors: [(descriptor: Int32, isError: Bool)]
    var bytesLeft = ProcessThread.outputBytesPerTick
    var limit: ProgramEnd?

    init(_ start: Start, process: pid_t, descriptors: [(Int32, Bool)]) {
      program = start.program
      output = start.output
      end = start.end
      self.process = process
      self.descriptors = descriptors
    }
  }

  private func run() {
    var children: [pid_t: Child] = [:]
    var ticks = 0
    var lastTick = ContinuousClock.now
    // Measurements that are left after the last program has ended: what it left behind may come later.
    var rounds = 0
    while true {
      wait(for: children.values, isResting: children.isEmpty && rounds == 0)
      for command in takeCommands() {
        switch command {
        case .start(let start): begin(start, &children)
        case .signal(let process, let number):
          if children[process] != nil { Self.signalGroup(process, number) }
        }
      }
      for child in children.values { read(child) }
      if reap(&children) { rounds = 4 }
      if lastTick.duration(to: .now) >= .milliseconds(Int(Self.tick)) {
        lastTick = .now
        ticks += 1
        for child in children.values { child.bytesLeft = Self.outputBytesPerTick }
        processGuard.tellRest()
        if ticks % Self.ticksPerMeasurement == 0, !children.isEmpty || rounds > 0 {
          measure(children)
          rounds = max(0, rounds - 1)
        }
      }
    }
  }

  private func takeCommands() -> [Command] {
    var buffer = [UInt8](repeating: 0, count: 256)
    while readSome(wakeReader, &buffer, buffer.count) > 0 {}
    return commands.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  private func wait(for children: some Collection<Child>, isResting: Bool) {
    var polled = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
    for child in children where child.bytesLeft > 0 {
      polled += child.descriptors.map {
        pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
      }
    }
    _ = poll(&polled, nfds_t(polled.count), isResting ? -1 : Self.tick)
  }

  private func begin(_ start: Start, _ children: inout [pid_t: Child]) {
    var output: [Int32] = [-1, -1]
    var error: [Int32] = [-1, -1]
    guard pipe(&output) == 0, pipe(&error) == 0 else {
      return start.started(.failure(Self.failure("descriptors", errno)))
    }
    for descriptor in output + error { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    for descriptor in [output[0], error[0]] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    let (process, stage, code) = Self.launch(start.program, output: output[1], error: error[1])
    close(output[1])
    close(error[1])
    guard process > 0 else {
      close(output[0])
      close(error[0])
      return start.started(.failure(Self.failure(stage, code)))
    }
    processGuard.watch(process)
    sessions.withLock { _ = $0.insert(process) }
    children[process] = Child(
      start,
      process: process,
      descriptors: [(output[0], false), (error[0], true)]
    )
    start.started(.success(process))
  }

  private static func failure(_ stage: String, _ code: Int32) -> ServiceError {
    ServiceError(
      .unavailable,
      "The program of a function can't be started (\(stage): \(String(cString: strerror(code))))."
    )
  }

  private static func launch(
    _ program: ConfinedProgram,
    output: Int32,
    error: Int32
  ) -> (process: pid_t, stage: String, code: Int32) {
    let readable = ConfinedProgram.system + program.readable
    let variables = program.environment.map { "\($0.key)=\($0.value)" }
    return withTexts([program.executable] + program.arguments) { arguments in
      withTexts(variables) { environment in
        withTexts(readable) { readable in
          withTexts(program.writable) { writable in
            program.executable.withCString { executable in
              program.directory.withCString { directory in
                var launch = brasa_launch(
                  executable: executable,
                  arguments: arguments,
                  environment: environment,
                  directory: directory,
                  output: output,
                  error: error,
                  readable: readable,
                  writable: writable,
                  files: UInt(program.files),
                  data: UInt(program.dataBytes ?? 0),
                  is_confined: program.isConfined ? 1 : 0
                )
                var stage: UnsafePointer<CChar>?
                let process = withUnsafeMutablePointer(to: &stage) { brasa_launch(&launch, $0) }
                let code = errno
                return (process, stage.map { String(cString: $0) } ?? "", code)
              }
            }
          }
        }
      }
    }
  }

  private func read(_ child: Child) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    child.descriptors.removeAll { entry in
      while child.bytesLeft > 0 {
        let count = readSome(entry.descriptor, &buffer, buffer.count)
        if count > 0 {
          child.bytesLeft -= count
          child.output(Array(buffer[..<count]), entry.isError)
        } else if count == 0 {
          close(entry.descriptor)
          return true
        } else {
          return false
        }
      }
      return false
    }
  }

  /// Takes the ends of programs; returns true if there was one.
  private func reap(_ children: inout [pid_t: Child]) -> Bool {
    let count = children.count
    for (process, child) in children {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      children[process] = nil
      processGuard.forget(process)
      // Processes that it left in its group have no parent.
      kill(-process, SIGKILL)
      child.bytesLeft = Self.outputBytesPerTick
      read(child)
      for entry in child.descriptors { close(entry.descriptor) }
      let signal = status & 0x7f
      let end: ProgramEnd = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
      child.end(child.limit ?? end)
    }
    return children.count < count
  }

  private func measure(_ children: [pid_t: Child]) {
    let table = ProcessTable.read()
    // A number that is free may be given to any process.
    descendants.withLock { $0.formIntersection(table.processes) }
    for child in children.values {
      let members = table.members(of: child.process).map(\.process)
      descendants.withLock { $0.formUnion(members) }
    }
    for child in children.values where child.limit == nil {
      let members = table.members(of: child.process)
      // The resident sizes are read already, and are never less than the memory.
      if let limit = child.program.memoryBytes,
        members.reduce(0, { $0 + $1.residentBytes }) > limit,
        case let used = ProcessTable.memory(of: members), used > limit
      {
        child.limit = .memoryLimit(used: used, limit: limit)
      } else if members.count > child.program.processes {
        child.limit = .processLimit
      }
      guard child.limit != nil else { continue }
      for member in members { kill(member.process, SIGKILL) }
      Self.signalGroup(child.process, SIGKILL)
    }
    endStrays(in: table, beside: children)
  }

  /// Ends what lost its parents and so came to the server, and takes the exit statuses.
  ///
  /// The server's other children are not touched: those were never below a program of this thread, nor in a session of one.
  private func endStrays(in table: ProcessTable, beside children: [pid_t: Child]) {
    let left = table.sessions
    let programs = sessions.withLock { sessions in
      sessions = sessions.filter { children[$0] != nil || left.contains($0) }
      return sessions
    }
    let known = descendants.withLock { $0 }
    var own = Set(children.keys)
    if let guarding = processGuard.process { own.insert(guarding) }
    for stray in table.strays(of: getpid(), beside: own)
    where known.contains(stray.process) || programs.contains(stray.session) {
      if stray.hasEnded {
        descendants.withLock { _ = $0.remove(stray.process) }
        waitpid(stray.process, nil, WNOHANG)
      } else {
        kill(stray.process, SIGKILL)
      }
    }
  }

  /// Signals the group, and at the end also processes that have left it but are below it.
  private static func signalGroup(_ process: pid_t, _ number: Int32) {
    if number == SIGKILL {
      for member in ProcessTable.read().members(of: process) { kill(member.process, SIGKILL) }
    }
    kill(-process, number)
  }
}

private func readSome(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
  buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, min(count, $0.count)) }
}

/// Lends texts as C has lists of them: ended by a null pointer.
private func withTexts<R>(
  _ texts: [String],
  _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("a list with its end is empty") }
    return body(base)
  }
}
