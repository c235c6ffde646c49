import ArgumentParser
import ConfigTemplates

/// `brasa config results`.
struct ConfigResultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results",
    abstract: "Compare the variants of an experiment by an event of analytics.",
    discussion: """
      Each variant is told with its difference from the first one and the interval that this lies in with 95 %, \
      however often one looks. Installations count from the day on that they got their variant.

      Example:
        brasa config results checkout --project shop
        brasa config results checkout --event purchase --measure value --project shop
      """
  )

  @Argument(help: "The experiment's id.") var experiment: String
  @Option(name: .long, help: "The event's name; without one the experiment's own goal counts.")
  var event: String?
  @Option(
    name: .long,
    help: "users: who had the event; events: how often; value: the sum of its parameter value."
  )
  var measure: ExperimentGoal.Measure = .users
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let goal = event.map { ExperimentGoal(event: $0, measure: measure) }
    try printReplies(try template.request(.results(experiment: experiment, goal: goal)), of: data)
  }
}

extension ExperimentGoal.Measure: ExpressibleByArgument {}
