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

  @Option(help: "The port on 127.0.0.1; 0 lets the system choose.") var port = 0
  @Option(help: "A folder with server.pem and server-key.pem, as `brasa certs` makes them.")
  var certificates: String

  func run() async throws {
    let server = try ProviderServer(
      try ProductsProvider(),
      certificates: URL(filePath: certificates),
      port: port
    ) { issuer in
      print("listening on \(issuer)")
      fflush(nil)
    }
    try await server.runCommand()
  }
}
