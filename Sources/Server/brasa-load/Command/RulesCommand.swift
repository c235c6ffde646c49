import ArgumentParser

/// The command `brasa-load rules`.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Measure the security rules' evaluator alone: no server, no documents on a disk.",
    discussion: """
      Evaluates the seed's read rule on a document in memory, proves the seed's query and the widest \
      query of its kind, and compiles a ruleset of a thousand lines. One thread; figures say what a \
      release build does.
      """
  )

  @Option(help: "How many batches of evaluations each figure is the median of.") var batches = 200

  func validate() throws { try ServerOptions.check("--batches", batches, 1...100_000) }

  func run() throws {
    let cost = try RulesCost()
    let read = try RulesCost.time(batches, of: 1_000) { try cost.evaluateRead() }
    let query = try RulesCost.time(batches, of: 1_000) { try cost.proveQuery() }
    let widest = try RulesCost.time(batches, of: 10) { try cost.proveWidestQuery() }
    let compiling = try RulesCost.time(max(1, batches / 10), of: 1) { try cost.compileLongSource() }
    print(
      """
      rules: one thread, medians of \(batches) batches (the best in brackets)
      read rule, one document: \(read)
      proof of the query for one's own products: \(query)
      proof of a query with 30 alternatives: \(widest)
      compiling \(cost.longSourceLines) lines: \(compiling)
      """
    )
  }
}
