import ArgumentParser
import Foundation
import LivePage
import ServiceHost
import VollmedService
import VollmedWeb

struct VollmedServiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vollmed-service",
    abstract: "The clinic's REST service."
  )

  @OptionGroup var options: ServiceOptions
  @Option(help: "A file of mocked routes, read again when it changes.") var mock: String?

  func run() async throws {
    let service = try VollmedService(
      file: options.file,
      mockFile: mock.map { URL(filePath: $0) }
    )
    if options.sample { try await service.addSampleData() }
    try await LoopbackServer(service.router(), port: options.port).runCommand()
  }
}

struct VollmedWebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vollmed-web",
    abstract: "The clinic's pages."
  )

  @OptionGroup var options: WebOptions

  func run() async throws {
    let host = try await VollmedWeb.host(
      service: options.address,
      folder: URL(filePath: options.folder),
      timeZone: clinicTimeZone
    )
    try await LoopbackServer(
      await host.router(),
      port: options.port,
      services: [await host.service]
    ).runCommand()
  }
}
