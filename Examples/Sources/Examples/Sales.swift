import ArgumentParser
import Foundation
import LivePage
import SalesService
import SalesWeb
import ServiceHost

struct SalesServiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sales-service",
    abstract: "The sales provider's REST service.",
    discussion: """
      New orders are pushed to people's devices through the server at SALES_MESSAGES_URL with the server \
      key SALES_MESSAGES_KEY; without both they are logged.
      """
  )

  @OptionGroup var options: ServiceOptions

  func run() async throws {
    let messages = MessageNotifier(environment: ProcessInfo.processInfo.environment)
    let service = try await SalesService(file: options.file, notifier: messages ?? LogNotifier())
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
