import ArgumentParser
import KeyValuePostgres

/// The command `brasa nodes`.
struct NodesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes",
    abstract: "List the nodes that serve a store in PostgreSQL together.",
    discussion: """
      A line a node: its name, whether it leads, the seconds since it started, where other nodes reach it, and whether it is the home \
      node. A node that stopped is gone from the list at once, one that was killed within fifteen seconds.

      Example:
        brasa nodes --store postgres://brasa@db.example.org/brasa
      """
  )

  @OptionGroup var data: DataOptions

  func run() throws {
    guard case .postgres(let address) = try data.location else {
      throw ValidationError("Only a store in PostgreSQL has nodes: name it with --store.")
    }
    let nodes = try StoreNode.all(PostgresConfiguration(address: address), namedBy: HomeClaim.key)
    for node in nodes {
      let line = "\(node.name)\t\(node.leads ? "leads" : "serves")\t\(node.age) s\t\(node.address)"
      Terminal.print(line + (node.isNamed ? "\thome" : ""))
    }
  }
}
