import ArgumentParser

/// The command `brasa clock`.
struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Show the server's clock, and accept a jump of the system clock.",
    discussion: """
      A server in production does not follow the system clock when it is set by more than five minutes: a wrong \
      clock would expire tokens, registrations and reports. It goes on with the time of before, and /healthz, the log \
      and the metric brasa_clock_step_seconds tell. When the new time is right, accept it. The same holds for the clock of \
      the database server where the store is in PostgreSQL.

      Examples:
        brasa clock
        brasa clock accept
      """,
    subcommands: [Show.self, Accept.self],
    defaultSubcommand: Show.self
  )

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the server's time, and a jump of the system clock that it ignores."
    )
    @OptionGroup var data: DataOptions

    func run() throws { try DatabasesCommand.print(.clock(accepting: false), of: data) }
  }

  struct Accept: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Accept the time of the system clock and of the database server's clock.",
      discussion: """
        Data that is expired by the new time expires immediately. On a cluster, one node is enough for the database's clock.
        """
    )
    @OptionGroup var data: DataOptions

    func run() throws { try DatabasesCommand.print(.clock(accepting: true), of: data) }
  }
}
