import ArgumentParser

/// The command `brasa-load files`.
struct FilesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "files",
    abstract: "Load a server of Cloud Storage: uploads, downloads, ranges, lists.",
    discussion: """
      Over HTTP/1.1, one request under way a connection. Works on any server that speaks Google's JSON API \
      without credentials, or with --token; with --dialect plain downloads work on any web server.
      """,
    subcommands: [
      FileFillCommand.self, FileUploadCommand.self, FileResumableCommand.self,
      FileDownloadCommand.self, FileListCommand.self,
    ]
  )
}

/// The server, the bucket, and the number of connections.
struct FileServerOptions: ParsableArguments {
  @Option(help: "The server's address.")
  var host = "127.0.0.1"

  @Option(help: "The server's port.")
  var port = 8080

  @Option(help: "The bucket.")
  var bucket = "load.appspot.com"

  @Option(help: "Whose paths requests have: json, firebase or plain.")
  var dialect = FileTarget.Dialect.json

  @Option(help: "A bearer token to send with every request.")
  var token: String?

  @Option(help: "How many connections to open, each with one request under way.")
  var connections = 64

  @Option(help: "How many threads drive the connections.")
  var threads = 1

  @Option(help: "What all random choices start from; the report names it. (default: a new one)")
  var seed: UInt64 = .random(in: 0...UInt64(UInt32.max))

  @Option(help: "The running server's process, to measure its memory and its time on processors.")
  var pid: Int32?

  /// The server and the names that requests use.
  var target: FileTarget {
    FileTarget(host: host, port: port, bucket: bucket, dialect: dialect, token: token)
  }

  func validate() throws {
    try ServerOptions.check("--port", port, 1...65_535)
    try ServerOptions.check("--connections", connections, 1...10_000)
    try ServerOptions.check("--threads", threads, 1...64)
  }

  /// A run as the options say.
  func run(
    seed contentSeed: UInt64? = nil,
    operation: @escaping @Sendable (Int) -> any FileOperation
  ) -> FileRun {
    raiseOpenFileLimit()
    return FileRun(
      target: target,
      connections: connections,
      threads: threads,
      seed: seed,
      content: FileContent(seed: contentSeed ?? seed),
      serverProcess: pid,
      operation: operation
    )
  }

  /// Names of new objects below a folder of this run, as many as that; nil is no bound.
  func newNames(upTo limit: Int?) -> @Sendable () -> (number: Int, name: String)? {
    let (counter, prefix) = (Counter(), newPrefix)
    return {
      let number = counter.take(1)
      guard number < limit ?? .max else { return nil }
      return (number, "\(prefix)\(number).jpg")
    }
  }

  /// The prefix of the new objects of this run.
  var newPrefix: String { "new/\(seed)/" }
}

/// The size of objects.
struct FileSizeOptions: ParsableArguments {
  @Option(help: "How many bytes an object has.")
  var size: Int = 20_480

  func validate() throws { try ServerOptions.check("--size", size, 1...(1 << 40)) }
}
