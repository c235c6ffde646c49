import ArgumentParser
import CodableGuideWeb
import LivePage

struct CodableGuideWebCommand: PagesCommand {
  static let configuration = CommandConfiguration(
    commandName: "codable-guide-web",
    abstract: "The Codable guide's pages, for a running Brasa."
  )

  @OptionGroup var options: WebOptions
  @OptionGroup var firebase: FirebaseArguments

  func host() async throws -> LiveHost {
    try await CodableGuideWeb.host(service: options.address, folder: options.directory)
  }
}
