import ArgumentParser

/// The command `brasa events`.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Send events to URLs, and show pending and failed deliveries.",
    discussion: """
      Examples:
        brasa events subscribe orders --url https://hooks.example.org/orders \\
          --type google.cloud.firestore.document.v1.written --filter document=orders/{id} --project shop
        brasa events triggers --project shop
        brasa events list --dead --project shop
        brasa events replay --project shop
      """,
    subcommands: [
      EventsSubscribeCommand.self, EventsUnsubscribeCommand.self, EventsTriggersCommand.self,
      EventsListCommand.self, EventsShowCommand.self, EventsReplayCommand.self,
      EventsDiscardCommand.self,
    ]
  )
}

/// The project that a command is about.
struct EventsOptions: ParsableArguments {
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func perform(_ request: TriggersRequest) throws {
    try printReplies(.triggers(project: try project.id(), request), of: data)
  }
}

/// `brasa events subscribe`.
struct EventsSubscribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Send a project's events to an address, as CloudEvents by POST.",
    discussion: """
      An existing subscription with that name is replaced; its pending events stay if the type is the same. The address must be https and \
      public, or its host must be in the server's BRASA_EVENT_HOSTS.

      Example:
        brasa events subscribe orders --url https://hooks.example.org/orders \\
          --type google.cloud.firestore.document.v1.created --filter document=orders/{id} --retry --project shop
      """
  )

  @Argument(help: "The subscription's name.") var name: String
  @Option(help: "The address that receives the events.") var url: String
  @Option(help: "The event type.") var type = "google.cloud.firestore.document.v1.written"
  @Option(help: "A filter as name=value, such as document=orders/{id}; repeatable.")
  var filter: [String] = []
  @Option(help: "The channel of custom events, such as locations/us-central1/channels/firebase.")
  var channel: String?
  @Flag(help: "Send documents as protobuf instead of JSON.") var protobuf = false
  @Flag(help: "Retry failed deliveries for 24 hours.") var retry = false
  @Option(help: "The number of concurrent deliveries.") var concurrency = 16
  @Option(help: "The timeout of a delivery in seconds.") var timeout = 30
  @OptionGroup var options: EventsOptions

  func validate() throws {
    guard (1...1_000).contains(concurrency) else {
      throw ValidationError("--concurrency must be between 1 and 1000.")
    }
    guard (1...540).contains(timeout) else {
      throw ValidationError("--timeout must be between 1 and 540.")
    }
  }

  func run() throws {
    let subscription = SubscriptionOptions(
      url: url,
      channel: channel,
      isProtobuf: protobuf,
      retries: retry,
      concurrency: concurrency,
      timeoutSeconds: timeout
    )
    try options.perform(
      .subscribe(name: name, type: type, filters: filter, options: subscription)
    )
  }
}

/// `brasa events unsubscribe`.
struct EventsUnsubscribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsubscribe",
    abstract: "Remove a subscription with its pending events and dead letters.",
    discussion: """
      Example:
        brasa events unsubscribe orders --project shop
      """
  )

  @Argument(help: "The subscription's name.") var name: String
  @OptionGroup var options: EventsOptions

  func run() throws { try options.perform(.unsubscribe(name: name)) }
}

/// `brasa events triggers`.
struct EventsTriggersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers",
    abstract: "List triggers, schedules, task queues and subscriptions.",
    discussion: """
      Example:
        brasa events triggers --project shop
      """
  )

  @OptionGroup var options: EventsOptions

  func run() throws { try options.perform(.triggers) }
}

/// `brasa events list`.
struct EventsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List pending events or dead letters.",
    discussion: """
      Example:
        brasa events list --dead --trigger orders --project shop
      """
  )

  @Flag(
    help: "List dead letters: events that could not be delivered. They are kept for seven days."
  )
  var dead = false
  @Option(help: "The name of a function or subscription (default: all).") var trigger: String?
  @Option(help: "The number of entries to list.") var limit = 100
  @OptionGroup var options: EventsOptions

  func run() throws {
    try options.perform(.list(isDead: dead, trigger: trigger, limit: max(1, limit)))
  }
}

/// `brasa events show`.
struct EventsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show an event with its data.",
    discussion: """
      Example:
        brasa events show 6615f1739b5e7-0 --project shop
      """
  )

  @Argument(help: "The event's id.") var id: String
  @OptionGroup var options: EventsOptions

  func run() throws { try options.perform(.show(id: id)) }
}

/// `brasa events replay`.
struct EventsReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Deliver dead letters again: all in the project, those of a trigger, or one.",
    discussion: """
      Example:
        brasa events replay --trigger orders --project shop
      """
  )

  @Argument(help: "The event's ID (default: all).") var id: String?
  @Option(help: "The name of a function or subscription (default: all).") var trigger: String?
  @OptionGroup var options: EventsOptions

  func run() throws { try options.perform(.replay(trigger: trigger, id: id)) }
}

/// `brasa events discard`.
struct EventsDiscardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "Delete dead letters: one, or those of a trigger.",
    discussion: """
      Example:
        brasa events discard --trigger orders --project shop
      """
  )

  @Argument(help: "The event's id.") var id: String?
  @Option(help: "A function's or subscription's name.") var trigger: String?
  @OptionGroup var options: EventsOptions

  func validate() throws {
    guard id != nil || trigger != nil else {
      throw ValidationError("Name an event, or a trigger with --trigger.")
    }
  }

  func run() throws { try options.perform(.discard(trigger: trigger, id: id)) }
}
