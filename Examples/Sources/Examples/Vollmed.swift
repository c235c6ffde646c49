import ArgumentParser
import Foundation
import Hummingbird
import LivePage
import VollmedService
import VollmedWeb

struct VollmedServiceCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "vollmed-service",
    abstract: "The clinic's REST service."
  )

  @OptionGroup var options: ServiceOptions
  @Option(help: "A file of mocked routes, read again when it changes.") var mock: String?

  func router() async throws -> Router<BasicRequestContext> {
    let service = try VollmedService(
      file: options.file,
      mockFile: mock.map { URL(filePath: $0) }
    )
    if options.sample { try await service.addSampleData() }
    return service.router()
  }
}

struct VollmedWebCommand: PagesCommand {
  static let configuration = CommandConfiguration(
    commandName: "vollmed-web",
    abstract: "The clinic's pages."
  )

  @OptionGroup var options: WebOptions

  func host() async throws -> LiveHost {
    try await VollmedWeb.host(
      service: options.address,
      folder: options.directory,
      timeZone: TimeZone(identifier: "America/Sao_Paulo") ?? .gmt
    )
  }
}
