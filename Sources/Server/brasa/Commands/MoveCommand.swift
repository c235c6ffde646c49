import ArgumentParser
import Foundation

/// The command `brasa move`.
struct MoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move a store from its data directory to PostgreSQL, or back.",
    discussion: """
      No server may run. The keys are copied and counted before the directory points to their new \
      place; a move that is broken off leaves all as it was. The old store stays, as store-before-move \
      in the directory or as the schema brasa_before_move. Events of analytics and the bytes of files \
      are not part of the store and stay where they are.

      Examples:
        brasa move --data data --to postgres://brasa@db.example.org/brasa
        brasa move --data data --store postgres://brasa@db.example.org/brasa --to directory
      """
  )

  @Option(help: "postgres://user@host/database, or directory.")
  var to: String
  @OptionGroup var data: DataOptions

  func run() throws {
    let target = try to == "directory" ? .directory : StoreLocation(to)
    let progress = ProgressLine()
    let move = StoreMove(directory: data.directory, source: try data.location, target: target) {
      progress.show(done: $0, total: nil, unit: "key")
    }
    let count = try move.run()
    progress.print("moved \(count.counting("key")); run brasa verify to check the result")
  }
}
