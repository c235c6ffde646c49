import ArgumentParser
import Foundation

/// `brasa messages send`.
struct MessagesSendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send a message, written as the JSON of Cloud Messaging's API.",
    discussion: """
      The message contains its token, topic or condition, unless you pass --user. A running server delivers it; \
      otherwise it is delivered after the next start.

      Example:
        brasa messages send '{"notification": {"title": "Hello"}}' --user ana --project shop
        brasa messages send @offer.json --at-local 2027-01-15T09:00 --every week --project shop
      """
  )

  @Argument(help: "The message as JSON, or @ and the name of a file with it.") var message: String
  @Option(name: .long, help: "Send to every registration of this user.") var user: String?
  @OptionGroup var time: MessagesTimeOptions
  @Flag(name: .long, help: "Only validate the message.") var validate = false
  @OptionGroup var options: MessagesOptions

  func run() throws {
    let text = message.hasPrefix("@") ? try TextFile.json(at: String(message.dropFirst())) : message
    try options.perform(
      .send(message: text, user: user, schedule: try time.schedule(), validatesOnly: validate)
    )
  }
}

/// The time at which a message is sent, and its repetition.
struct MessagesTimeOptions: ParsableArguments {
  /// A part of the calendar.
  enum Unit: String, CaseIterable, ExpressibleByArgument {
    case day, week, month
  }

  @Option(name: .long, help: "Send at a time such as 2027-01-15T08:00:00Z.") var at: String?
  @Option(name: .long, help: "Send when each device's clock shows a time such as 2027-01-15T09:00.")
  var atLocal: String?
  @Option(
    name: .long,
    help: "The time zone for days, and for devices without one, such as America/Sao_Paulo."
  )
  var timeZone: String?
  @Option(name: .long, help: "Repeat every day, week or month.") var every: Unit?
  @Option(name: .long, help: "Send only every second, third, … time.") var interval: Int?
  @Option(name: .long, help: "Stop repeating at a time such as 2027-06-30T00:00:00Z.")
  var until: String?

  func validate() throws {
    guard at == nil || atLocal == nil else {
      throw ValidationError("Use either --at or --at-local.")
    }
    if at == nil, atLocal == nil, timeZone != nil || every != nil {
      throw ValidationError("--time-zone and --every need --at or --at-local.")
    }
    if every == nil, interval != nil || until != nil {
      throw ValidationError("--interval and --until need --every.")
    }
  }

  /// As JSON of the API's form; nil is at once.
  func schedule() throws -> String? {
    guard at != nil || atLocal != nil else { return nil }
    var members: [String: Any] = [:]
    members["scheduleTime"] = at
    members["localTime"] = atLocal
    members["timeZone"] = timeZone
    if let every {
      var rule: [String: Any] = ["every": every.rawValue]
      rule["interval"] = interval
      rule["until"] = until
      members["repeat"] = rule
    }
    let json = try JSONSerialization.data(withJSONObject: members)
    return String(decoding: json, as: UTF8.self)
  }
}
