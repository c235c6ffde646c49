import ArgumentParser

/// The command `brasa-load files fill`.
struct FileFillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Write numbered objects, for downloads and lists to find.",
    discussion: """
      A thousand have one folder. Names and bytes are the same in every run. With --copies the objects are \
      copies of one, which is quick: a server then writes metadata alone.
      """
  )

  @OptionGroup var server: FileServerOptions
  @OptionGroup var size: FileSizeOptions
  @Option(help: "How many objects the bucket shall have.") var objects = 10_000
  @Flag(help: "Upload one object and copy it.") var copies = false

  func validate() throws { try ServerOptions.check("--objects", objects, 1...100_000_000) }

  func run() async throws {
    let (target, bytes, objects) = (server.target, Int64(size.size), objects)
    let counter = Counter()
    let next: @Sendable () -> (number: Int, name: String)? = {
      let number = counter.take(1)
      return number < objects ? (number, FileTarget.name(number)) : nil
    }
    if copies, let (_, source) = next() {
      try await uploadOne(source)
      let run = server.run { _ in CopyOperation(target: target, source: source, next: next) }
      return try await perform(run, missing: 1)
    }
    let run = server.run(seed: 1) { _ in UploadOperation(target: target, size: bytes, next: next) }
    try await perform(run, missing: 0)
  }

  private func uploadOne(_ name: String) async throws {
    var alone = server
    alone.connections = 1
    let (target, size, counter) = (server.target, Int64(size.size), Counter())
    let run = alone.run(seed: 1) { _ in
      UploadOperation(target: target, size: size) { counter.take(1) == 0 ? (0, name) : nil }
    }
    let outcome = try await run.execute(.untilDone)
    guard outcome.measurement.errorCount == 0 else {
      throw LoadError.refused("the upload of \(name): \(outcome.measurement.errors.keys.joined())")
    }
  }

  private func perform(_ run: FileRun, missing: Int) async throws {
    let outcome = try await run.execute(.untilDone)
    FileReport(title: "files fill", run: run, outcome: outcome).print()
    guard outcome.measurement.acknowledged == objects - missing else { throw ExitCode(1) }
  }
}

/// The command `brasa-load files upload`.
struct FileUploadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload",
    abstract: "Write new objects, a request each, and count afterwards what is there."
  )

  @OptionGroup var server: FileServerOptions
  @OptionGroup var size: FileSizeOptions
  @OptionGroup var duration: DurationOptions

  func run() async throws {
    let (target, size, next) = (server.target, Int64(size.size), server.newNames(upTo: nil))
    let run = server.run { _ in UploadOperation(target: target, size: size, next: next) }
    let check = try FileDurabilityCheck(run, prefix: server.newPrefix)
    let outcome = try await run.execute(
      .seconds(warmUp: duration.warmUp, duration.seconds)
    )
    FileReport(title: "files upload of \(size) bytes", run: run, outcome: outcome)
      .print(followedBy: try check.lines(acknowledged: outcome.measurement.acknowledged))
  }
}

/// The command `brasa-load files resumable`.
struct FileResumableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resumable",
    abstract: "Write new large objects as resumable uploads, one a connection at a time.",
    discussion: """
      With --pid it says how much memory the server takes meanwhile:
        brasa-load files resumable --connections 50 --objects 50 --size 1000000000 --pid 4711
      """
  )

  @OptionGroup var server: FileServerOptions
  @Option(help: "How many bytes an object has.") var size = 1_000_000_000
  @Option(help: "How many bytes a request brings; a multiple of 262,144.") var chunk = 100 << 20
  @Option(help: "How many objects to write in all.") var objects = 1

  func validate() throws {
    try ServerOptions.check("--size", size, 1...(1 << 40))
    try ServerOptions.check("--objects", objects, 1...1_000_000)
    guard chunk > 0, chunk % 262_144 == 0 else {
      throw ValidationError("--chunk must be a multiple of 262144.")
    }
  }

  func run() async throws {
    let (target, size, chunk) = (server.target, Int64(size), Int64(chunk))
    let next = server.newNames(upTo: objects)
    let run = server.run { _ in
      ResumableOperation(target: target, size: size, chunk: chunk, next: next)
    }
    let check = try FileDurabilityCheck(run, prefix: server.newPrefix)
    let outcome = try await run.execute(.untilDone)
    FileReport(title: "files resumable of \(size) bytes", run: run, outcome: outcome)
      .print(followedBy: try check.lines(acknowledged: outcome.measurement.acknowledged))
  }
}
