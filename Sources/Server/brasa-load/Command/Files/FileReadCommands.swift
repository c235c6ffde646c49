import ArgumentParser

/// The command `brasa-load files download`.
struct FileDownloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download",
    abstract: "Read objects of a filled bucket, at random, whole or in ranges.",
    discussion: """
      Examples:
        brasa-load files download --objects 10000
        brasa-load files download --objects 32 --size 10000000 --connections 16 --range 65536
        brasa-load files download --objects 50 --size 1000000000 --connections 50 --once --pid 4711
      """
  )

  @OptionGroup var server: FileServerOptions
  @OptionGroup var size: FileSizeOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "How many objects the bucket was filled with.") var objects = 10_000
  @Option(help: "How many bytes to ask for, from a random one on. (default: all)") var range: Int?
  @Flag(help: "One object a connection, in place of so many seconds.") var once = false

  func validate() throws {
    try ServerOptions.check("--objects", objects, 1...100_000_000)
    if let range { try ServerOptions.check("--range", range, 1...size.size) }
  }

  func run() async throws {
    let operation = DownloadOperation(
      target: server.target,
      objects: objects,
      size: Int64(size.size),
      range: range.map(Int64.init)
    )
    let once = once
    let run = server.run { _ in once ? OnceOperation(operation) as any FileOperation : operation }
    let length = FileRun.Length.seconds(warmUp: duration.warmUp, duration.seconds)
    let outcome = try await run.execute(once ? .untilDone : length)
    let what = range.map { "\($0) of \(size.size)" } ?? "\(size.size)"
    FileReport(title: "files download of \(what) bytes", run: run, outcome: outcome).print()
  }
}

/// The command `brasa-load files list`.
struct FileListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List folders of a filled bucket by prefix and delimiter, at random."
  )

  @OptionGroup var server: FileServerOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "How many objects the bucket was filled with; whole thousands.")
  var objects = 10_000
  @Option(help: "How many names to ask for.") var limit = 1_000

  func validate() throws {
    try ServerOptions.check("--objects", objects, FileTarget.folderSize...100_000_000)
    try ServerOptions.check("--limit", limit, 1...1_000)
  }

  func run() async throws {
    let operation = ListOperation(
      target: server.target,
      folders: objects / FileTarget.folderSize,
      limit: limit
    )
    let run = server.run { _ in operation }
    let outcome = try await run.execute(.seconds(warmUp: duration.warmUp, duration.seconds))
    let title = "files list, \(limit) of \(objects)"
    FileReport(title: title, run: run, outcome: outcome).print()
  }
}
