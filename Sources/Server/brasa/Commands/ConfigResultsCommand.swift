import ArgumentParser
import ConfigTemplates

/// `brasa config results`.
struct ConfigResultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results",
    abstract: "Compare the variants of an experiment by an Analytics event.",
    discussion: """
      Each variant is shown with its difference from the first one and the 95 % confidence interval, \
      valid however often you look. Installations count from the day on which they got their variant.

      Example:
        brasa config results checkout --project shop
        brasa config results checkout --event purchase --measure value --project shop
      """
  )

  @Argument(help: "The experiment's id.") var experiment: String
  @Option(name: .long, help: "The event's name (default: the experiment's goal).")
  var event: String?
  @Option(
    name: .long,
    help: "users (with the event), events (their number) or value (the sum of the parameter value)."
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
