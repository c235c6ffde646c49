import ExampleTesting
import Foundation
import RESTClient
import Synchronization
import Testing

@testable import PontoCore
@testable import PontoService

/// A device: its folder, and what it is given from outside.
@MainActor
struct TestDevice {
  let folder: Folder
  let authenticator = TestAuthenticator()
  let connectivity = TestConnectivity()
  let now: Date

  init(now: Date = Date(timeIntervalSince1970: 1_634_884_440.123_456_7)) throws {
    folder = try Folder()
    self.now = now
  }

  /// The app, launched anew over the same folder.
  func launch(_ service: any ReceiptService) throws -> PontoViewModel {
    PontoViewModel(try environment(service))
  }

  func environment(_ service: any ReceiptService) throws -> PontoEnvironment {
    PontoEnvironment(
      service: service,
      outbox: try outbox(),
      authenticator: authenticator,
      connectivity: connectivity,
      profile: ProfilePhoto(folder: folder.url),
      clock: ManualClock(),
      now: { [now] in now }
    )
  }

  func outbox() throws -> Outbox { try Outbox(file: folder.file("outbox.sqlite")) }
}

final class TestAuthenticator: Authenticator {
  private let allows = Mutex(true)

  func set(allows: Bool) { self.allows.withLock { $0 = allows } }

  func authenticate(reason: String) async -> Bool { allows.withLock(\.self) }
}

/// The connection comes back when the test says so.
final class TestConnectivity: Connectivity {
  private let channel = AsyncStream<Void>.makeStream()

  func opportunities() -> AsyncStream<Void> { channel.stream }
  func comeBack() { channel.continuation.yield() }
}

/// A server that cannot be reached.
struct NoServer: ReceiptService {
  var error = RequestError(.transport)

  func receipts() async throws(RequestError) -> [Receipt] { throw error }
  func post(_ receipt: Receipt) async throws(RequestError) { throw error }
  func delete(_ id: UUID) async throws(RequestError) { throw error }
}

func network(_ url: URL) -> NetworkReceiptService {
  NetworkReceiptService(client: HTTPClient(baseURL: url))
}

let saoPaulo = Place(latitude: -23.5881, longitude: -46.6323)
/// The smallest bytes that look like a JPEG.
let jpeg = Data([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
