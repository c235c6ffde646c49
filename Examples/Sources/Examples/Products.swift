import ArgumentParser
import Foundation
import LivePage
import ProductsProvider
import ProductsWeb

struct ProductsWebCommand: PagesCommand {
  static let configuration = CommandConfiguration(
    commandName: "products-web",
    abstract: "The products' pages, for a running Brasa."
  )

  @OptionGroup var options: WebOptions
  @OptionGroup var firebase: FirebaseArguments

  func host() async throws -> LiveHost {
    try await ProductsWeb.host(service: options.address, folder: options.directory)
  }
}

struct ProductsProviderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products-provider",
    abstract: "An OpenID provider for trying: it takes everybody's word for who they are."
  )

  @Option(help: "The port on 127.0.0.1 that servers ask; 0 lets the system choose.") var port = 0
  @Option(help: "The port of the page that people see; 0 lets the system choose.") var pagePort = 0
  @Option(help: "The address that the page listens on; 0.0.0.0 is every one of this machine.")
  var host = "127.0.0.1"
  @Option(help: "The host by which browsers reach the page and the app (default: --host).")
  var pageHost: String?
  @Option(help: "A folder with server.pem and server-key.pem, as `brasa certs` makes them.")
  var certificates: String

  func run() async throws {
    let server = try ProviderServer(
      try ProductsProvider(appHosts: [pageHost].compactMap(\.self)),
      certificates: URL(filePath: certificates),
      port: port,
      page: .init(host: host, port: pagePort, name: pageHost ?? host)
    ) { issuer in
      print("listening on \(issuer)")
      fflush(nil)
    }
    try await server.runCommand()
  }
}
