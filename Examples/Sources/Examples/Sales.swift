import ArgumentParser
import Foundation
import Hummingbird
import LivePage
import SalesService
import SalesWeb

struct SalesServiceCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "sales-service",
    abstract: "The sales provider's REST service.",
    discussion: """
      Changes of orders are pushed to people's devices through the server at SALES_MESSAGES_URL with the server \
      key SALES_MESSAGES_KEY; without both they are logged.
      """
  )

  @OptionGroup var options: ServiceOptions
  @Option(
    help: "The rules for users and products: the book's, or those of the repository that it names."
  )
  var rules = Rules.book

  func router() async throws -> Router<BasicRequestContext> {
    let messages = MessageNotifier(environment: ProcessInfo.processInfo.environment)
    let service = try await SalesService(
      file: options.file,
      notifier: messages ?? LogNotifier(),
      rules: rules
    )
    if options.sample { try await service.addSampleData() }
    return service.router()
  }
}

extension Rules: ExpressibleByArgument {}

struct SalesWebCommand: PagesCommand {
  static let configuration = CommandConfiguration(
    commandName: "sales-web",
    abstract: "The sales provider's pages."
  )

  @OptionGroup var options: WebOptions

  func host() async throws -> LiveHost {
    try await SalesWeb.host(service: options.address, folder: options.directory)
  }
}
