import ArgumentParser
import Foundation
import PushMessaging

/// The command `brasa-load messages`.
struct MessagesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages",
    abstract: "Load Cloud Messaging: sends, topics, streams of messages.",
    discussion:
      "Works on a server in development mode; fill works on the data of one that does not run.",
    subcommands: [
      MessagesSendCommand.self, MessagesTopicCommand.self, MessagesStreamsCommand.self,
      MessagesFillCommand.self,
    ]
  )
}

/// The project that is loaded.
struct PushServerOptions: ParsableArguments {
  @OptionGroup var server: FileServerOptions
  @Option(help: "The project.") var project = "load-messages"

  var target: PushTarget {
    PushTarget(
      host: server.host,
      port: server.port,
      project: project,
      token: server.token ?? "owner"
    )
  }

  /// A run with an administrator's token.
  func run(operation: @escaping @Sendable (Int) -> any FileOperation) -> FileRun {
    raiseOpenFileLimit()
    return FileRun(
      target: target.server,
      connections: server.connections,
      threads: server.threads,
      seed: server.seed,
      content: FileContent(seed: server.seed, length: 1),
      serverProcess: server.pid,
      operation: operation
    )
  }

  /// Registers so many devices; a network makes 20,000 in an hour.
  func register(_ count: Int) async throws -> [PushDevice] {
    let (target, devices) = (target, PushDevices(upTo: count))
    let run = run { _ in DeviceRegistration(target, devices) }
    let outcome = try await run.execute(.untilDone)
    FileReport(title: "registrations", run: run, outcome: outcome).print()
    guard outcome.measurement.errorCount == 0 else {
      throw LoadError.refused("devices could not be registered")
    }
    return devices.all
  }
}

/// The command `brasa-load messages send`.
struct MessagesSendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract:
      "Send single messages to devices that are not connected; each is durable when it is answered.",
    discussion: """
      Example:
        brasa-load messages send --connections 64 --devices 5000 --pid 4711
      """
  )

  @OptionGroup var options: PushServerOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "How many devices to register first.") var devices = 5_000

  func validate() throws { try ServerOptions.check("--devices", devices, 1...20_000) }

  func run() async throws {
    let (target, known) = (options.target, try await options.register(devices))
    let before = try ServerMetrics.fetch(host: options.server.host, port: options.server.port)
    let run = options.run { _ in MessageSending(target: target, devices: known) }
    let length = FileRun.Length.seconds(warmUp: duration.warmUp, duration.seconds)
    let report = FileReport(
      title: "messages send",
      run: run,
      outcome: try await run.execute(length)
    )
    let after = try ServerMetrics.fetch(host: options.server.host, port: options.server.port)
    let groups = before.flatMap { after?.groups(since: $0) }
    report.print(followedBy: groups.map { [$0] } ?? [])
  }
}

/// The command `brasa-load messages topic`.
struct MessagesTopicCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "topic",
    abstract:
      "Send one message to a topic and say when it was accepted, first delivered and expanded."
  )

  @OptionGroup var options: PushServerOptions
  @Option(help: "The topic, whose subscribers fill made.") var topic = "all"
  @Option(help: "How many deliveries to wait for that were handed over.") var handed = 0

  func run() async throws {
    let server = ServerUnderLoad(port: options.server.port, processID: options.server.pid)
    let before = server.resources()
    let run = TopicRun(target: options.target, topic: topic, expectedHanded: handed)
    let outcome = try run.execute()
    print("messages topic: \(outcome.deliveries) deliveries")
    print("accepted: \(Report.milliseconds(outcome.accepted))")
    if let first = outcome.first { print("first delivery: \(Report.milliseconds(first))") }
    if let expanded = outcome.expanded {
      let rate = Double(outcome.deliveries) / Double(expanded) * 1e9
      print("expanded: \(Report.milliseconds(expanded)), \(Report.short(rate))/s")
    }
    if handed > 0, let time = outcome.handed {
      let rate = Double(handed) / Double(time) * 1e9
      print("handed over: \(Report.milliseconds(time)), \(Report.short(rate))/s")
    }
    if let before, let after = server.resources() {
      let seconds = after.processorSeconds - before.processorSeconds
      let each = seconds / Double(max(outcome.deliveries, 1)) * 1e6
      print("server: \(Report.short(seconds)) s on processors, \(Report.short(each)) us a delivery")
    }
    print("errors: 0")
  }
}

/// The command `brasa-load messages streams`.
struct MessagesStreamsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "streams",
    abstract: "Open streams of messages, and send at a steady rate from send to acknowledgement."
  )

  @OptionGroup var options: PushServerOptions
  @Option(help: "How many streams, a connection each.") var streams = 10_000
  @Option(help: "How many messages to send in a second; 0 only opens the streams.") var rate = 5_000
  @Option(help: "For how many seconds to send.") var seconds = 10

  func validate() throws {
    try ServerOptions.check("--streams", streams, 1...20_000)
    try ServerOptions.check("--rate", rate, 0...1_000_000)
    try ServerOptions.check("--seconds", seconds, 1...3_600)
  }

  func run() async throws {
    let devices = try await options.register(streams)
    let server = ServerUnderLoad(port: options.server.port, processID: options.server.pid)
    let run = try MessageStreamRun(options.target)
    let closed = server.resources()
    try run.open(devices)
    print("messages streams: \(streams) open")
    if let closed, let open = server.resources() {
      let each = Double(open.residentBytes - closed.residentBytes) / Double(streams) / 1_024
      print("memory: \(Report.short(each)) KB a stream")
    }
    guard rate > 0 else { return print("errors: 0") }
    let before = server.resources()
    try run.send(rate: rate, seconds: seconds)
    print("sent: \(run.answers.count), \(rate) a second")
    print("send to answer: \(Report.quantiles(run.answers))")
    print("send to arrival: \(Report.quantiles(run.deliveries))")
    print("send to acknowledgement: \(Report.quantiles(run.acknowledgements))")
    if let before, let after = server.resources(), run.answers.count > 0 {
      let spent = after.processorSeconds - before.processorSeconds
      let each = spent / Double(run.answers.count) * 1e6
      print("server: \(Report.short(spent)) s on processors, \(Report.short(each)) us a message")
    }
    print("errors: \(run.errors.values.reduce(0, +))")
    for (name, count) in run.errors { print("  \(count) x \(name)") }
  }
}

/// The command `brasa-load messages fill`.
struct MessagesFillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract:
      "Make registrations that are subscribed to a topic in the data of a server that does not run.",
    discussion: """
      With --queue one message to the topic is made, of which all deliveries wait for the next start.

      Example:
        brasa-load messages fill --data data --registrations 1000000 --way apns --apns-key key.p8 \
      --key-id ABC123DEFG --team-id TEAM567890
      """
  )

  @Option(help: "The server's data directory.", completion: .directory) var data: String
  @Option(help: "The project.") var project = "load-messages"
  @Option(help: "How many registrations to make.") var registrations = 100_000
  @Option(help: "The topic.") var topic = "all"
  @Option(help: "By which way messages go: direct, apns or web.") var way = MessageFill.Way.direct
  @Option(help: "The bundle of the devices' app.") var bundle = "com.example.shop"
  @Option(help: "The push service of browsers, as https://localhost:8443.") var service = ""
  @Option(help: "A .p8 file of Apple's form.", completion: .file()) var apnsKey: String?
  @Option(help: "The key's id.") var keyID = "ABC123DEFG"
  @Option(help: "The team's id.") var teamID = "TEAM567890"
  @Flag(help: "Send to the topic and make its deliveries.") var queue = false

  func validate() throws {
    try ServerOptions.check("--registrations", registrations, 1...10_000_000)
    if way == .web, service.isEmpty { throw ValidationError("--service is missing.") }
    if way == .apns, apnsKey == nil { throw ValidationError("--apns-key is missing.") }
  }

  func run() async throws {
    let fill = try MessageFill(data: data, project: project)
    try await fill.keep(try key())
    let begun = monotonicNanoseconds()
    try await fill.register(
      registrations,
      by: way,
      bundle: bundle,
      service: service,
      topic: topic
    )
    let seconds = Double(monotonicNanoseconds() - begun) / 1e9
    print("messages fill: \(registrations) registrations by \(way.rawValue)")
    print("registered: \(Report.short(Double(registrations) / seconds))/s")
    if queue { try await expand(fill) }
    try fill.close()
    print("errors: 0")
  }

  private func expand(_ fill: MessageFill) async throws {
    let before = ServerResources.ours()
    let seconds = try await fill.expand(topic)
    print("expanded: \(Report.short(Double(registrations) / seconds))/s")
    guard let before, let after = ServerResources.ours() else { return }
    let spent = after.processorSeconds - before.processorSeconds
    print("processors: \(Report.short(spent / Double(registrations) * 1e6)) us a delivery")
  }

  private func key() throws -> APNsKey? {
    guard let apnsKey else { return nil }
    let text = try String(contentsOfFile: apnsKey, encoding: .utf8)
    return APNsKey(keyID: keyID, teamID: teamID, privateKey: text)
  }
}

extension MessageFill.Way: ExpressibleByArgument {}
