import ArgumentParser
import LivePage
import OrderStatusWeb

struct OrderStatusWebCommand: PagesCommand {
  static let configuration = CommandConfiguration(
    commandName: "order-status-web",
    abstract: "The order status's pages, for a sales provider and the Brasa that it sends through."
  )

  @OptionGroup var options: WebOptions
  @OptionGroup var firebase: FirebaseArguments
  @Option(help: "The address of the Brasa.") var messages: String

  func host() async throws -> LiveHost {
    try await OrderStatusWeb.host(
      service: options.address,
      messages: WebOptions.address(messages),
      folder: options.directory
    )
  }
}
