import ArgumentParser
import Foundation
import Hummingbird
import LivePage
import PontoCore
import PontoService
import PontoWeb
import RESTClient

struct PontoServiceCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "ponto-service",
    abstract: "The time clock's REST service."
  )

  @OptionGroup var options: ServiceOptions

  func router() async throws -> Router<BasicRequestContext> {
    let service = try PontoService(file: options.file)
    if options.sample { try await service.addSampleData() }
    return service.router()
  }
}

struct PontoWebCommand: PagesCommand {
  static let configuration = CommandConfiguration(
    commandName: "ponto-web",
    abstract: "The time clock's pages."
  )

  @OptionGroup var options: WebOptions
  @Option(help: "What a person types to prove to be the owner.") var pin = "1234"

  func host() async throws -> LiveHost {
    try await PontoWeb.host(service: options.address, folder: options.directory, pin: pin)
  }
}

/// The client without a screen.
///
/// It reads commands from its input, one a line, and answers each with one line:
///
///     register ID SECONDS    registered ID       once the receipt is on the disk
///     delete ID              deleted ID          once the deletion is on the disk
///     sync                   done, or postponed
struct PontoClientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ponto-client",
    abstract: "The time clock's client on a terminal."
  )

  @Option(help: "The service's address.") var service: String
  @Option(help: "The folder for the outbox.") var folder: String

  func run() async throws {
    guard let address = URL(string: service) else { throw ValidationError("not an address") }
    let outbox = try Outbox(file: URL(filePath: folder).appending(path: "outbox.sqlite"))
    let synchronizer = Synchronizer(
      outbox: outbox,
      service: NetworkReceiptService(client: HTTPClient(baseURL: address))
    )
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      switch (words.first, words.dropFirst().first.flatMap { UUID(uuidString: $0) }) {
      case ("register", let id?):
        let date = Date(timeIntervalSince1970: words.last.flatMap(Double.init) ?? 0)
        try outbox.add(Receipt(id: id, date: date, place: .unknown), photo: nil)
        say("registered \(id)")
      case ("delete", let id?):
        try outbox.addDeletion(of: id)
        say("deleted \(id)")
      case ("sync", _):
        try outbox.forgetRefusals()
        say(try await synchronizer.synchronize() == .done ? "done" : "postponed")
      default: say("unknown command")
      }
    }
  }

  private func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
