import ArgumentParser
import Foundation
import Hummingbird
import LivePage
import ServiceHost

/// Runs one part of one example; `scripts/examples` runs them all.
@main
struct Examples: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "examples",
    abstract: "The services and pages of the examples.",
    subcommands: [
      CodableGuideWebCommand.self, OrderStatusWebCommand.self, PontoServiceCommand.self,
      PontoWebCommand.self, PontoClientCommand.self, ProductsProviderCommand.self,
      ProductsWebCommand.self, SalesServiceCommand.self, SalesWebCommand.self,
      VollmedServiceCommand.self, VollmedWebCommand.self,
    ]
  )
}

/// The address that a server listens on.
struct ListenerOptions: ParsableArguments {
  @Option(help: "The address to listen on; 0.0.0.0 is every one of this machine.")
  var host = "127.0.0.1"
  @Option(help: "The port; 0 lets the system choose.") var port = 0
}

/// The options of every service.
struct ServiceOptions: ParsableArguments {
  @OptionGroup var listener: ListenerOptions
  @Option(help: "The SQLite file.") var database: String
  @Flag(help: "Adds sample data to an empty database.") var sample = false

  var file: URL {
    get throws {
      let file = URL(filePath: database)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      return file
    }
  }
}

/// The options of every page.
struct WebOptions: ParsableArguments {
  @OptionGroup var listener: ListenerOptions
  @Option(help: "The service's address.") var service: String
  @Option(help: "The folder for each browser's data.") var folder: String

  var address: URL {
    get throws { try Self.address(service) }
  }

  var directory: URL { URL(filePath: folder) }

  static func address(_ text: String) throws -> URL {
    guard let url = URL(string: text), url.host != nil else {
      throw ValidationError("\(text) is not an address, such as http://127.0.0.1:8080")
    }
    return url
  }
}

/// Runs a service; what differs is how its router is made.
protocol ServiceCommand: AsyncParsableCommand {
  var options: ServiceOptions { get }

  /// The service with its database, and with sample data if asked for.
  func router() async throws -> Router<BasicRequestContext>
}

extension ServiceCommand {
  func run() async throws {
    let listener = options.listener
    try await LocalServer(try await router(), host: listener.host, port: listener.port).runCommand()
  }
}

/// Runs an app's pages; what differs is how their host is made.
protocol PagesCommand: AsyncParsableCommand {
  var options: WebOptions { get }

  func host() async throws -> LiveHost
}

extension PagesCommand {
  func run() async throws {
    let host = try await host()
    try await LocalServer(
      await host.router(),
      host: options.listener.host,
      port: options.listener.port,
      services: [await host.service]
    ).runCommand()
  }
}

extension LocalServer {
  /// Runs until SIGINT or SIGTERM, and ends the process; the first line of the output is the address.
  func runCommand() async throws {
    try await run { url in
      print("listening on \(url.absoluteString)")
      fflush(nil)
    }
    // Foundation's connections go on in threads of their own, under which `exit` would free OpenSSL's memory.
    fflush(nil)
    _exit(EXIT_SUCCESS)
  }
}
