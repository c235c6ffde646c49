import ArgumentParser
import CodableGuideWeb
import Foundation
import LivePage
import ServiceHost

struct CodableGuideWebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codable-guide-web",
    abstract: "The Codable guide's pages, for a running Brasa."
  )

  @OptionGroup var options: WebOptions

  func run() async throws {
    let host = try await CodableGuideWeb.host(
      service: options.address,
      folder: URL(filePath: options.folder)
    )
    try await LoopbackServer(
      await host.router(),
      port: options.port,
      services: [await host.service]
    ).runCommand()
  }
}
