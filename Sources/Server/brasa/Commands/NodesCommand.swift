import ArgumentParser
import KeyValuePostgres

/// The command `brasa nodes`.
struct NodesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes",
    abstract: "List the nodes of a cluster.",
    discussion: """
      One line for each node: its name, if it is the leader, the seconds since it started, its address for other nodes, and if it is the \
      primary. A stopped node leaves the list immediately, a killed one within fifteen seconds.

      Example:
        brasa nodes --store postgres://brasa@db.example.org/brasa
      """
  )

  @OptionGroup var data: DataOptions

  func run() throws {
    guard case .postgres(let address) = try data.location else {
      throw ValidationError("Only a store in PostgreSQL has nodes. Pass its address with --store.")
    }
    let nodes = try StoreNode.all(
      PostgresConfiguration(address: address),
      namedBy: PrimaryLease.key
    )
    for node in nodes {
      let line = "\(node.name)\t\(node.leads ? "leads" : "serves")\t\(node.age) s\t\(node.address)"
      Terminal.print(line + (node.isNamed ? "\tprimary" : ""))
    }
  }
}
