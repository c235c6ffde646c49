import Foundation
import RESTClient

/// The app's dependencies: the server, the outbox, the device and the time.
package struct PontoEnvironment: Sendable {
  package let service: any ReceiptService
  package let outbox: Outbox
  package let synchronizer: Synchronizer
  package let authenticator: any Authenticator
  package let connectivity: any Connectivity
  package let profile: ProfilePhoto
  package let clock: any Clock<Duration>
  package let now: @Sendable () -> Date
  package let makeID: @Sendable () -> UUID

  package init(
    service: any ReceiptService,
    outbox: Outbox,
    authenticator: any Authenticator,
    connectivity: any Connectivity,
    profile: ProfilePhoto,
    clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    makeID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.service = service
    self.outbox = outbox
    synchronizer = Synchronizer(outbox: outbox, service: service)
    self.authenticator = authenticator
    self.connectivity = connectivity
    self.profile = profile
    self.clock = clock
    self.now = now
    self.makeID = makeID
  }

  /// The environment for a server at `address` and an app that keeps its files in `folder`.
  package static func live(
    address: URL,
    folder: URL,
    authenticator: any Authenticator,
    connectivity: (any Connectivity)? = nil
  ) throws -> PontoEnvironment {
    PontoEnvironment(
      service: NetworkReceiptService(client: HTTPClient(baseURL: address)),
      outbox: try Outbox(file: folder.appending(path: "outbox.sqlite")),
      authenticator: authenticator,
      connectivity: connectivity ?? ProbingConnectivity(address: address),
      profile: ProfilePhoto(folder: folder)
    )
  }
}
