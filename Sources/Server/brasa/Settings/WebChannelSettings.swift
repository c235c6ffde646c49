import ArgumentParser
import Gateway

/// The memory that browsers' streams may hold, and the lifetime of their responses, for networks
/// whose proxies are less patient than the defaults.
struct WebChannelSettings: Sendable, Equatable {
  private(set) var limits = WebChannelLimits()

  /// Merges the flags with the environment and refuses what cannot be meant.
  init(_ flags: WebChannelFlags, _ environment: EnvironmentReader) throws {
    if let sessions = try flags.sessions ?? environment.number("WEBCHANNEL_SESSIONS") {
      try Self.check(sessions, 1...1_000_000, "The number of WebChannel sessions")
      limits.sessions = sessions
    }
    if let kilobytes = try flags.backlog ?? environment.number("WEBCHANNEL_BACKLOG") {
      try Self.check(kilobytes, 2_048...1_048_576, "The kilobytes of a WebChannel session")
      limits.sessionBytes = kilobytes << 10
    }
    if let seconds = try flags.keepAlive ?? environment.number("WEBCHANNEL_KEEP_ALIVE") {
      try Self.check(seconds, 2...300, "The seconds of the WebChannel keep-alive")
      limits.keepAlive = .seconds(seconds)
    }
    if let seconds = try flags.streaming ?? environment.number("WEBCHANNEL_STREAMING") {
      try Self.check(seconds, 5...3_600, "The seconds of a WebChannel answer")
      limits.streaming = .seconds(seconds)
    }
  }

  private static func check(_ number: Int, _ range: ClosedRange<Int>, _ what: String) throws {
    guard range.contains(number) else {
      throw ValidationError(
        "\(what) must be between \(range.lowerBound) and \(range.upperBound), not \(number)."
      )
    }
  }
}

/// The flags of `brasa serve` for browsers' streams.
struct WebChannelFlags: ParsableArguments {
  @Option(
    name: .customLong("webchannel-sessions"),
    help: "The maximum number of open browser streams. [BRASA_WEBCHANNEL_SESSIONS, default: 10000]"
  )
  var sessions: Int?

  @Option(
    name: .customLong("webchannel-backlog"),
    help: """
      Kilobytes to queue for one browser's stream before it is ended. [BRASA_WEBCHANNEL_BACKLOG, \
      default: 65536]
      """
  )
  var backlog: Int?

  @Option(
    name: .customLong("webchannel-keep-alive"),
    help: """
      Seconds between keep-alives on an idle browser stream; less than the timeout of proxies. \
      [BRASA_WEBCHANNEL_KEEP_ALIVE, default: 30]
      """
  )
  var keepAlive: Int?

  @Option(
    name: .customLong("webchannel-streaming"),
    help: """
      Seconds after which a browser starts a new request for its stream; less than proxies let a response \
      last. [BRASA_WEBCHANNEL_STREAMING, default: 240]
      """
  )
  var streaming: Int?
}
