import ArgumentParser
import BaseStatus
import Foundation
import UnixSignals

/// The command `brasa watch`.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show a query's documents as a live table.",
    discussion: """
      It listens to a running server as an app does, with the right of the token that it sends: the \
      administrator key shows everything, a user's ID token what the rules let that user see. \
      Without a token it is the emulators' owner, whom only a development server knows. Where the \
      output is no terminal, each change is a line. Ctrl-C ends it.

      Examples:
        brasa watch products --project shop --where 'userId == "ana"' --order name
        brasa watch users/ana/orders --project shop --order total:desc --limit 10
        brasa watch orders --group --project shop --where 'total >= 100'
      """
  )

  @Argument(help: "The collection: products, or users/ana/orders.") var collection: String
  @Option(help: "A condition, field, operator (== != < <= > >= contains) and value; repeatable.")
  var `where`: [String] = []
  @Option(help: "A field to sort by, with :desc for descending order; repeatable.")
  var order: [String] = []
  @Option(help: "The number of documents to show.") var limit: Int?
  @Flag(help: "All collections with that name, at any depth.") var group = false
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var server: WatchServerOptions

  func run() async throws {
    let label = try database.label()
    let query = try WatchQuery(
      collection: collection,
      isGroup: group,
      conditions: `where`,
      orders: order,
      limit: limit,
      database: label.id
    )
    let view: any WatchView =
      TerminalScreen.isUsable
      ? WatchTable(title: title(label), query: query) : WatchLines(isGroup: group)
    do {
      try await Self.untilInterrupted(redrawing: view) { [server] in
        var session = WatchSession(query: query, view: view)
        try await session.run(on: server.server())
      }
      view.close()
    } catch let error as ServiceError {
      view.close()
      throw ControlError.refused(code: error.code.rawValue, message: error.message)
    } catch {
      view.close()
      throw error
    }
  }

  private func title(_ label: DatabaseLabel) -> String {
    var parts = [collection + (group ? " (group)" : "")]
    parts += `where`.map { "where \($0)" } + order.map { "order \($0)" }
    if let limit { parts.append("limit \(limit)") }
    return parts.joined(separator: " · ") + "   \(label.project)/\(label.database)"
  }

  /// Runs the body until it ends or the program is interrupted.
  private static func untilInterrupted(
    redrawing view: any WatchView,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sigwinch)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: body)
      group.addTask {
        for await signal in signals {
          guard signal == .sigwinch else { return }
          view.redraw()
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }
}

/// The address of the server that a watch listens to, and the credentials for it.
struct WatchServerOptions: ParsableArguments {
  @Option(help: "The server's address and port.") var host = "127.0.0.1:8080"
  @Option(help: "The bearer token to send (or $BRASA_TOKEN).") var token: String?
  @Flag(help: "Use TLS; a production server accepts the administrator key only over TLS.")
  var tls = false
  @Option(
    help: "The authority that signed the server's certificate, a PEM file; implies --tls.",
    completion: .file()
  )
  var tlsAuthority: String?

  /// The server that the options name.
  func server() throws -> WatchServer {
    let colon = host.lastIndex(of: ":")
    let name = colon.map { host[..<$0] } ?? host[...]
    guard let port = colon.map({ Int(host[$0...].dropFirst()) }) ?? 8080,
      (1...65_535).contains(port), !name.isEmpty
    else { throw ValidationError("--host must be an address and a port, such as 127.0.0.1:8080.") }
    return WatchServer(
      host: name.trimmingCharacters(in: ["[", "]"]),
      port: port,
      token: token ?? ProcessInfo.processInfo.environment["BRASA_TOKEN"] ?? "owner",
      isSecure: tls || tlsAuthority != nil,
      authority: tlsAuthority
    )
  }

  func validate() throws { _ = try server() }
}
