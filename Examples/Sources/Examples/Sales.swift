import ArgumentParser
import Foundation
import LivePage
import SalesService
import SalesWeb
import ServiceHost

struct SalesServiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sales-service",
    abstract: "The sales provider's REST service."
  )

  @OptionGroup var options: ServiceOptions

  func run() async throws {
    let service = try await SalesService(file: options.file)
    if options.sample { try await service.addSampleData() }
    try await LoopbackServer(service.router(), port: options.port).runCommand()
  }
}

struct SalesWebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sales-web",
    abstract: "The sales provider's pages."
  )

  @OptionGroup var options: WebOptions

  func run() async throws {
    let host = try await SalesWeb.host(
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
