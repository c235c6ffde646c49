import ExampleTesting
import Foundation
import RESTClient
import Synchronization
import Testing

@testable import VollmedCore

/// The acceptance list 4e: the client's view models against the running service.
@MainActor @Suite struct `Vollmed app 4e` {
  private let saoPaulo = TimeZone(identifier: "America/Sao_Paulo") ?? .gmt

  private func app(
    _ clinic: TestClinic,
    file: URL,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> VollmedViewModel {
    let session = Session(store: ProtectedFile(file))
    let environment = VollmedEnvironment.live(
      address: clinic.url,
      session: session,
      timeZone: saoPaulo,
      clock: clock,
      now: { clinic.now.date }
    )
    return VollmedViewModel(environment, session: session)
  }

  private func signIn(_ app: VollmedViewModel) async throws {
    guard case .signIn(let screen) = app.screen else {
      Issue.record("the sign-in screen should show")
      return
    }
    screen.email = "lucas@example.com"
    screen.password = "senha123"
    await screen.signIn()
    await app.appear()
  }

  @Test func `4e.1 the session survives a relaunch and is gone after log-out`() async throws {
    try await withClinic { clinic, file in
      let first = app(clinic, file: file)
      try await signIn(first)
      guard case .tab(.home) = first.screen else {
        Issue.record("the tabs should show")
        return
      }
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect(mode as? Int == 0o600)

      let relaunched = app(clinic, file: file)
      guard case .tab(.home) = relaunched.screen else {
        Issue.record("the tabs should show at once")
        return
      }
      await relaunched.home.logOut()
      guard case .signIn = relaunched.screen else {
        Issue.record("the sign-in screen should show")
        return
      }
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test func `4e.1 a wrong password shows one notice and the form stays`() async throws {
    try await withClinic { clinic, file in
      let app = app(clinic, file: file)
      guard case .signIn(let screen) = app.screen else { return }
      screen.email = "lucas@example.com"
      screen.password = "errada"
      await screen.signIn()
      #expect(screen.notice?.message == "Senha incorreta!")
      #expect(screen.email == "lucas@example.com")
      screen.closeNotice()
      #expect(screen.notice == nil)
    }
  }

  @Test func `4e.2 the skeleton shows until the reply`() async throws {
    let gate = Gate()
    let home = homeModel(
      service: FakeHomeService {
        await gate.wait(); return [.sample]
      }
    )
    async let appearing: Void = home.appear()
    await gate.waitForWaiter()
    #expect(home.specialists == nil)
    gate.open()
    await appearing
    #expect(home.specialists == [.sample])
  }

  @Test func `4e.3 and 4e.4 a 400 shows the service's message for three seconds`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let mock = folder.file("mock.json")
    let clock = ManualClock()
    try await TestClinic.run(mockFile: mock) { clinic in
      for message in ["Ops! Ocorreu um erro, mas já estamos trabalhando", "Outra mensagem"] {
        try Data(
          """
          [{"method":"GET","path":"/especialista","status":400,
            "body":{"error":{"code":400,"message":"\(message)"}}}]
          """.utf8
        ).write(to: mock)
        try await self.expectSnackbar(message, clinic, folder.file("session"), clock)
      }
    }
  }

  private func expectSnackbar(
    _ message: String,
    _ clinic: TestClinic,
    _ file: URL,
    _ clock: ManualClock
  ) async throws {
    let app = app(clinic, file: file, clock: clock)
    if !app.session.isSignedIn {
      guard case .signIn(let screen) = app.screen else { return }
      screen.email = "lucas@example.com"
      screen.password = "senha123"
      await screen.signIn()
    }
    async let appearing: Void = app.appear()
    await clock.waitForSleepers()
    #expect(app.snackbar.message == message)
    // No skeleton after an error, but a way to try again.
    #expect(app.home.content.hasFailed && !app.home.content.isLoading)
    clock.advance(by: .milliseconds(2999))
    #expect(app.snackbar.message == message)
    clock.advance(by: .milliseconds(1))
    await appearing
    #expect(app.snackbar.message == nil)
  }

  @Test func `4e.5 sign-up offers eleven plans, checks the form and tells how it went`()
    async throws
  {
    try await withClinic { clinic, file in
      let app = app(clinic, file: file)
      app.startSignUp()
      guard case .signUp(let form) = app.screen else { return }
      #expect(HealthPlan.all.count == 11 && form.healthPlan == "Amil")
      await form.signUp()
      #expect(Set(form.errors.keys) == Set(SignUpViewModel.Field.allCases))
      form.name = "Ana Lima"
      form.email = "ana@example.com"
      form.cpf = "529.982.247-26"
      form.phoneNumber = "(11) 99999-0000"
      form.password = "segredo"
      await form.signUp()
      #expect(form.errors.isEmpty)
      #expect(form.notice?.isSuccess == false && form.notice?.message == "CPF Inválido!")
      form.closeNotice()
      form.cpf = "529.982.247-25"
      await form.signUp()
      #expect(form.notice?.isSuccess == true)
    }
  }

  @Test func `4e.6 an appointment is booked, moved and cancelled`() async throws {
    try await withClinic { clinic, file in
      let app = app(clinic, file: file)
      try await signIn(app)
      let specialist = try #require(app.home.specialists?.first)
      app.startBooking(with: specialist)
      guard case .booking(let booking) = app.screen else { return }
      #expect(booking.buttonTitle == "Agendar consulta")
      booking.date = clinic.now.date + 2 * 24 * 3600
      await booking.confirm()
      #expect(booking.notice?.isSuccess == true)
      await app.select(.appointments)
      let row = try #require(app.appointments.rows?.first)
      #expect(row.date == "04/03/2026 às 08:00" && row.specialist == specialist)

      app.startMoving(row)
      guard case .booking(let moving) = app.screen else { return }
      #expect(moving.buttonTitle == "Reagendar consulta" && moving.date == moving.earliest)
      moving.date = clinic.now.date + 3 * 24 * 3600 + 900
      await moving.confirm()
      await app.goBack()
      #expect(app.appointments.rows?.map(\.date) == ["05/03/2026 às 08:15"])

      app.startCancelling(try #require(app.appointments.rows?.first))
      guard case .cancellation(let cancelling) = app.screen else { return }
      await cancelling.cancel()
      #expect(cancelling.notice?.isSuccess == true)
      await app.goBack()
      #expect(app.appointments.rows == [])
    }
  }

  @Test func `4e.6 an appointment is confirmed, and asks again once it is moved`() async throws {
    try await withClinic { clinic, file in
      let app = app(clinic, file: file)
      try await signIn(app)
      app.startBooking(with: try #require(app.home.specialists?.first))
      guard case .booking(let booking) = app.screen else { return }
      booking.date = clinic.now.date + 2 * 24 * 3600
      await booking.confirm()
      await app.select(.appointments)
      let row = try #require(app.appointments.rows?.first)
      #expect(row.awaitsConfirmation && !row.isConfirmed)
      await app.appointments.confirm(row)
      #expect(app.appointments.rows?.map(\.isConfirmed) == [true])
      app.startMoving(row)
      guard case .booking(let moving) = app.screen else { return }
      moving.date = clinic.now.date + 3 * 24 * 3600
      await moving.confirm()
      await app.goBack()
      #expect(app.appointments.rows?.map(\.awaitsConfirmation) == [true])
    }
  }

  @Test func `a 500 without a text has a text of its own`() {
    let error = RequestError(.server, status: 500)
    #expect(error.customMessage == "erro interno do servidor")
    #expect(RequestError(.transport).customMessage == "erro desconhecido")
  }

  @Test func `after an error trying again shows the skeleton, then the list`() async throws {
    let clock = ManualClock()
    let gate = Gate()
    let answers = Mutex(0)
    let service = FailingOnce { () async throws(RequestError) -> [Specialist] in
      let turn = answers.withLock { count in
        count += 1
        return count
      }
      if turn == 1 { throw RequestError(.server, status: 500) }
      await gate.wait()
      return [.sample]
    }
    let home = homeModel(service: service, clock: clock)
    async let first: Void = home.appear()
    await clock.waitForSleepers()
    #expect(home.content.hasFailed)
    async let second: Void = home.appear()
    await gate.waitForWaiter()
    #expect(home.content.isLoading)
    gate.open()
    await second
    #expect(home.specialists == [.sample])
    clock.advance(by: .seconds(3))
    await first
    #expect(home.specialists == [.sample])
  }

  @Test func `4e.6 a refused booking shows the clinic's reason`() async throws {
    try await withClinic { clinic, file in
      let app = app(clinic, file: file)
      try await signIn(app)
      app.startBooking(with: try #require(app.home.specialists?.first))
      guard case .booking(let booking) = app.screen else { return }
      await booking.confirm()
      #expect(
        booking.notice?.message == "A consulta deve ser agendada com 30 minutos de antecedência"
      )
    }
  }

  @Test func `4e.7 a fake service drives the home screen`() async throws {
    let home = homeModel(service: FakeHomeService { [.sample, .sample] })
    await home.appear()
    #expect(home.specialists?.count == 2)
  }

  @Test func `an expired session leads back to sign-in and says so`() async throws {
    let clock = ManualClock()
    try await withClinic { clinic, file in
      let app = self.app(clinic, file: file, clock: clock)
      try await self.signIn(app)
      clinic.now.advance(by: 40 * 24 * 3600)
      async let selecting: Void = app.select(.appointments)
      await clock.waitForSleepers()
      #expect(app.snackbar.message == "sessão expirada")
      guard case .signIn = app.screen else {
        Issue.record("the sign-in screen should show")
        return
      }
      clock.advance(by: .seconds(3))
      await selecting
    }
  }

  private func withClinic(
    _ body: @MainActor @Sendable (TestClinic, URL) async throws -> Void
  ) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    try await TestClinic.run { clinic in try await body(clinic, folder.file("session.json")) }
  }

  private func homeModel(
    service: any HomeService,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> HomeViewModel {
    let client = HTTPClient(
      baseURL: URL(filePath: "/"),
      transport: ScriptedTransport { _ in HTTPReply(status: 500) }
    )
    return HomeViewModel(
      service: service,
      authentication: NetworkAuthenticationService(client: client),
      session: Session(store: ProtectedFile(URL(filePath: "/nowhere"))),
      snackbar: SnackbarViewModel(clock: clock)
    )
  }
}

private struct FailingOnce: HomeService {
  let answer: @Sendable () async throws(RequestError) -> [Specialist]

  func specialists() async throws(RequestError) -> [Specialist] { try await answer() }
}

private struct FakeHomeService: HomeService {
  let answer: @Sendable () async -> [Specialist]

  func specialists() async throws(RequestError) -> [Specialist] { await answer() }
}

extension Specialist {
  fileprivate static let sample = Specialist(
    id: "1",
    name: "João da Silva",
    crm: "12345",
    imageURL: "",
    specialty: "Cardiologia",
    email: "",
    phoneNumber: ""
  )
}
