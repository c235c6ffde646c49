import ExampleTesting
import Foundation
import RESTClient
import Synchronization
import Testing

@testable import PontoCore
@testable import PontoService

/// The acceptance list 6e, items 2, 3, 4 and 6, and what of 1 and 5 does not need a phone.
@MainActor @Suite struct `Ponto app 6e` {
  private func withDevice(
    _ body: @MainActor @Sendable (TestDevice, URL) async throws -> Void
  ) async throws {
    let device = try TestDevice()
    defer { device.folder.remove() }
    try await withServer(PontoService(file: nil).router()) { url in try await body(device, url) }
  }

  @Test func `6e.1 the clock shows hours and minutes, and ticks`() async throws {
    let device = try TestDevice()
    defer { device.folder.remove() }
    let clock = ManualClock()
    let time = Mutex(Date(timeIntervalSince1970: 1_634_884_440))
    let environment = PontoEnvironment(
      service: NoServer(),
      outbox: try device.outbox(),
      authenticator: device.authenticator,
      connectivity: device.connectivity,
      profile: ProfilePhoto(folder: device.folder.url),
      clock: clock,
      now: { time.withLock(\.self) }
    )
    let model = ClockViewModel(environment)
    #expect(model.time == "03:34")
    let ticking = Task { await model.tick() }
    await clock.waitForSleepers()
    time.withLock { $0 += 60 }
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    #expect(model.time == "03:35")
    ticking.cancel()
  }

  @Test func `6e.2 with the server up a receipt is there at once and the outbox is empty`()
    async throws
  {
    try await withDevice { device, url in
      let app = try device.launch(network(url))
      await app.register(photo: nil, place: saoPaulo)
      #expect(app.clock.message == "Ponto registrado às 03:34")
      await app.select(.receipts)
      #expect(app.receipts.rows.map(\.status) == ["SINCRONIZADO"])
      #expect(try device.outbox().entries().isEmpty)
    }
  }

  @Test func `6e.2 with the server down it is kept and sent once after a restart`() async throws {
    try await withDevice { device, url in
      let offline = try device.launch(NoServer())
      await offline.register(photo: nil, place: saoPaulo)
      #expect(offline.clock.message?.contains("Registro guardado") == true)
      await offline.select(.receipts)
      #expect(offline.receipts.rows.map(\.status) == ["NÃO SINCRONIZADO"])

      let online = try device.launch(network(url))
      let running = Task { await online.run() }
      #expect(await eventually { online.receipts.rows.map(\.isSynchronized) == [true] })
      running.cancel()
      #expect(try device.outbox().entries().isEmpty)
      let again = try device.launch(network(url))
      await again.receipts.synchronize()
      #expect(try await raw(.get, url, "/recibos").array.count == 1)
    }
  }

  @Test func `6e.2 it is sent when the connection comes back, and on demand`() async throws {
    try await withDevice { device, url in
      let service = SwitchedService(network(url))
      let app = try device.launch(service)
      let running = Task { await app.run() }
      service.set(isUp: false)
      await app.register(photo: nil, place: nil)
      await app.select(.receipts)
      #expect(app.receipts.rows.map(\.isSynchronized) == [false])
      service.set(isUp: true)
      device.connectivity.comeBack()
      #expect(await eventually { app.receipts.rows.map(\.isSynchronized) == [true] })

      service.set(isUp: false)
      await app.register(photo: nil, place: nil)
      service.set(isUp: true)
      await app.receipts.synchronize()
      #expect(app.receipts.rows.map(\.isSynchronized) == [true, true])
      running.cancel()
    }
  }

  @Test(arguments: [408, 429, 500, 503])
  func `6e.2 a server that cannot answer now keeps the receipt waiting`(status: Int) async throws {
    let device = try TestDevice()
    defer { device.folder.remove() }
    let code: RequestError.Code = status < 500 ? .refused : .server
    let app = try device.launch(NoServer(error: RequestError(code, status: status)))
    await app.register(photo: nil, place: nil)
    let entries = try device.outbox().entries()
    #expect(entries.count == 1 && entries.first?.refusal == nil)
  }

  @Test func `6e.2 a refused receipt is shown with the reason, kept, and holds up no other`()
    async throws
  {
    try await withDevice { device, url in
      let refusal = RequestError(.refused, status: 400, serverMessage: "Fora do horário")
      let app = try device.launch(NoServer(error: refusal))
      await app.register(photo: nil, place: nil)
      #expect(app.clock.message == "Fora do horário")
      await app.select(.receipts)
      #expect(app.receipts.rows.map(\.refusal) == ["Fora do horário"])

      let later = try device.launch(network(url))
      await later.register(photo: nil, place: nil)
      await later.select(.receipts)
      #expect(later.receipts.rows.map(\.isSynchronized) == [false, true])
      await later.receipts.synchronize()
      #expect(later.receipts.rows.map(\.isSynchronized) == [true, true])
    }
  }

  @Test func `6e.3 photo, place and time are those of the moment`() async throws {
    try await withDevice { device, url in
      let offline = try device.launch(NoServer())
      await offline.register(photo: Picture(jpeg), place: saoPaulo)
      let later = try device.launch(network(url))
      await later.receipts.synchronize()
      let row = try #require(later.receipts.rows.first)
      #expect(row.date == "22/10/2021 03:34" && row.receipt.place == saoPaulo)
      #expect(row.photo?.bytes == jpeg && row.isSynchronized)
      let sent = try #require(try await raw(.get, url, "/recibos").array.first)
      #expect(sent["data"] as? String == "22/10/2021 03:34")
      #expect(
        sent["localizacao"] as? [String: String]
          == ["latitude": "-23.5881", "longitude": "-46.6323"]
      )
    }
  }

  @Test func `6e.4 deleting needs authentication and reaches the server`() async throws {
    try await withDevice { device, url in
      let app = try device.launch(network(url))
      await app.register(photo: Picture(jpeg), place: nil)
      await app.select(.receipts)
      let id = try #require(app.receipts.rows.first?.id)
      device.authenticator.set(allows: false)
      await app.receipts.delete(id)
      #expect(app.receipts.rows.count == 1)
      #expect(try await raw(.get, url, "/recibos").array.count == 1)
      device.authenticator.set(allows: true)
      await app.receipts.delete(id)
      #expect(app.receipts.rows.isEmpty)
      #expect(try await raw(.get, url, "/recibos").text == "[]")
      #expect(try device.outbox().photo(of: id) == nil)
    }
  }

  @Test func `6e.4 a deletion made offline happens later, even of a receipt still unsent`()
    async throws
  {
    try await withDevice { device, url in
      let online = try device.launch(network(url))
      await online.register(photo: nil, place: nil)
      await online.select(.receipts)
      let sent = try #require(online.receipts.rows.first?.id)

      let offline = try device.launch(NoServer())
      await offline.register(photo: nil, place: nil)
      await offline.receipts.delete(sent)
      let unsent = try #require(offline.receipts.rows.first?.id)
      await offline.receipts.delete(unsent)
      #expect(offline.receipts.rows.isEmpty)

      let again = try device.launch(network(url))
      await again.receipts.synchronize()
      #expect(again.receipts.rows.isEmpty)
      #expect(try await raw(.get, url, "/recibos").text == "[]")
    }
  }

  @Test func `6e.5 the quick action starts registering, and the profile photo survives`()
    async throws
  {
    let device = try TestDevice()
    defer { device.folder.remove() }
    let app = try device.launch(NoServer())
    await app.select(.receipts)
    app.startRegistering()
    #expect(app.isRegistering && app.tab == .clock)
    await app.register(photo: nil, place: nil)
    #expect(!app.isRegistering)
    app.receipts.setProfile(try #require(Picture(jpeg)))
    #expect(try device.launch(NoServer()).receipts.profile?.bytes == jpeg)
    #expect(Picture(Data("<svg>".utf8)) == nil)
    #expect(Picture(jpeg + Data(count: Picture.largest)) == nil)
  }

  @Test func `6e.6 after a reinstall the list comes back, whatever else is in it`() async throws {
    try await withDevice { device, url in
      let first = try device.launch(network(url))
      await first.register(photo: nil, place: saoPaulo)
      _ = try await raw(
        .post,
        url,
        "/recibos",
        body: #"{"data":"23/10/2021 08:40","status":true}"#
      )
      let reinstalled = try TestDevice()
      defer { reinstalled.folder.remove() }
      let app = try reinstalled.launch(network(url))
      await app.select(.receipts)
      #expect(app.receipts.rows.map(\.date) == ["23/10/2021 08:40", "22/10/2021 03:34"])
      #expect(app.receipts.rows.map(\.receipt.place) == [.unknown, saoPaulo])
    }
  }

  @Test func `the list leaves out what is no receipt and reads coordinates in both forms`() throws {
    let text = """
      [{"id":"3F91C769-A87A-4381-9637-39CAC899F33F","status":true,"data":"22/10/2021 03:34",
        "localizacao":{"latitude":"1.5","longitude":2}}, {"id":"x"}, 7, null,
       {"id":"3F91C769-A87A-4381-9637-39CAC899F330","data":"nunca","status":true}]
      """
    let list = try JSONDecoder().decode(ReceiptList.self, from: Data(text.utf8))
    #expect(list.values.map(\.place) == [Place(latitude: 1.5, longitude: 2)])
  }

  @Test func `the probe tells when the server is reachable`() async throws {
    let clock = ManualClock()
    let statuses = Mutex([false, false, true])
    let probe = ProbingConnectivity(
      address: try #require(URL(string: "http://example.test")),
      transport: ScriptedTransport { _ in
        let isUp = statuses.withLock { $0.isEmpty ? true : $0.removeFirst() }
        guard isUp else { throw RequestError(.transport) }
        return HTTPReply(status: 200)
      },
      interval: .seconds(1),
      clock: clock
    )
    var events = probe.opportunities().makeAsyncIterator()
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    await events.next()
    let left = statuses.withLock(\.count)
    #expect(left == 0)
  }
}

/// The real service behind a switch.
private final class SwitchedService: ReceiptService {
  private let service: NetworkReceiptService
  private let isUp = Mutex(true)

  init(_ service: NetworkReceiptService) {
    self.service = service
  }

  func set(isUp: Bool) { self.isUp.withLock { $0 = isUp } }

  private func check() throws(RequestError) {
    guard isUp.withLock(\.self) else { throw RequestError(.transport) }
  }

  func receipts() async throws(RequestError) -> [Receipt] {
    try check()
    return try await service.receipts()
  }

  func post(_ receipt: Receipt) async throws(RequestError) {
    try check()
    try await service.post(receipt)
  }

  func delete(_ id: UUID) async throws(RequestError) {
    try check()
    try await service.delete(id)
  }
}
