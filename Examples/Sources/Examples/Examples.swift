import ArgumentParser
import Foundation
import LivePage
import ServiceHost

/// Runs one part of one example; `scripts/examples` runs them all.
@main
struct Examples: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "examples",
    abstract: "The services and pages of the examples.",
    subcommands: [
      CodableGuideWebCommand.self, PontoServiceCommand.self, PontoWebCommand.self,
      PontoClientCommand.self, ProductsProviderCommand.self, ProductsWebCommand.self,
      SalesServiceCommand.self, SalesWebCommand.self, VollmedServiceCommand.self,
      VollmedWebCommand.self,
    ]
  )
}

/// What every service takes.
struct ServiceOptions: ParsableArguments {
  @Option(help: "The port on 127.0.0.1; 0 lets the system choose.") var port = 0
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

/// What every page takes.
struct WebOptions: ParsableArguments {
  @Option(help: "The port on 127.0.0.1; 0 lets the system choose.") var port = 0
  @Option(help: "The service's address.") var service: String
  @Option(help: "The folder for each browser's data.") var folder: String

  var address: URL {
    get throws {
      guard let url = URL(string: service), url.host != nil else {
        throw ValidationError("The service's address is not a URL")
      }
      return url
    }
  }
}

extension LoopbackServer {
  /// Runs until SIGINT or SIGTERM; the first line of the output is the address.
  func runCommand() async throws {
    try await run { url in
      print("listening on \(url.absoluteString)")
      fflush(nil)
    }
  }
}

let clinicTimeZone = TimeZone(identifier: "America/Sao_Paulo") ?? .gmt
