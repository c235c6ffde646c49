import FirebaseCore
import FirebaseMessaging
import Foundation
import Observation
import RESTClient
import SalesCore

/// The whole app: who is signed in at the sales provider, and what this device is told of their orders.
///
/// The provider is told this device's token after sign-in, and whenever there is another one; at log-out it is taken back.
/// Where that fails the token itself is given up, now or at the next start, so that nobody is told of another's orders.
@MainActor @Observable
package final class OrderStatusViewModel {
  package enum Screen {
    case signIn(SignInViewModel)
    case status(StatusViewModel)
  }

  /// The lines and the banner.
  package let status: StatusViewModel
  private let session: SalesSession
  private let signInScreen: SignInViewModel
  @ObservationIgnored private let registrations: RegistrationService
  @ObservationIgnored private let messaging: Messaging
  @ObservationIgnored private var receiver: PushReceiver?
  /// The number of sign-outs: work that began before one is not for the next user.
  @ObservationIgnored private var signOuts = 0
  @ObservationIgnored private let turns: AsyncStream<Void>
  @ObservationIgnored private let align: AsyncStream<Void>.Continuation

  /// The app of a device.
  ///
  /// - Parameters:
  ///   - app: The Firebase app, whose messages come to this device.
  ///   - provider: The address of the sales provider.
  ///   - credentials: Keeps the session between runs.
  ///   - device: Keeps what else there is to keep.
  ///   - patience: The time to wait for a response of the provider.
  package init(
    _ app: FirebaseApp,
    provider: URL,
    credentials: any CredentialStore,
    device: any CredentialStore,
    patience: Duration = .seconds(5)
  ) {
    let tokens = NetworkTokenService(client: HTTPClient(baseURL: provider, timeout: patience))
    let session = SalesSession(store: credentials, service: tokens)
    let client = HTTPClient(
      baseURL: provider,
      interceptors: [BearerAuthorization(source: session)],
      timeout: patience
    )
    self.session = session
    signInScreen = SignInViewModel(session: session)
    registrations = RegistrationService(client: client)
    status = StatusViewModel(DeviceStore(device))
    (turns, align) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    messaging = Messaging.messaging(app: app)
    let receiver = PushReceiver(
      onToken: { [align] in align.yield() },
      onPush: { [weak self] in self?.take($0) }
    )
    self.receiver = receiver
    messaging.delegate = receiver
    if !session.isSignedIn { status.end() }
    align.yield()
  }

  package var screen: Screen { session.isSignedIn ? .status(status) : .signIn(signInScreen) }

  /// Brings the provider in line with who is signed in, until the task is cancelled.
  package func run() async {
    for await _ in turns { await alignRegistration() }
  }

  /// Signs in with what is on the screen.
  package func signIn() async {
    guard case .signIn(let form) = screen else { return }
    let person = form.email
    await form.signIn()
    guard session.isSignedIn else { return }
    status.begin(person)
    align.yield()
  }

  /// Leads back to the login; the lines go from the device.
  package func signOut() async {
    guard session.isSignedIn else { return }
    await takeBack()
    do {
      try session.signOut()
      signOuts += 1
      status.end()
    } catch {
      // The session is still on the device, and the person signed in.
      status.report("You couldn't be signed out.")
    }
    align.yield()
  }

  /// Tells the provider again what could not be told.
  package func tryAgain() { align.yield() }

  /// A message of this device: on Apple's systems the app's delegate hands it over.
  package func take(_ push: OrderPush) {
    guard session.isSignedIn else { return }
    status.take(push)
  }

  // MARK: Registration

  private func alignRegistration() async {
    let before = signOuts
    do {
      if session.isSignedIn {
        let token = try await messaging.token()
        guard signOuts == before, status.token != token else { return }
        try await handOver(token)
        guard signOuts == before else { return }
        status.didRegister(token)
      } else if status.isHandedOver {
        try await messaging.deleteToken()
        status.isHandedOver = false
      }
    } catch let error as RequestError {
      guard signOuts == before else { return }
      // The refresh token was refused too: nobody is signed in any more.
      guard session.isSignedIn else { return status.end() }
      status.report(error.serverMessage ?? "The sales provider couldn't be reached.")
    } catch {
      guard signOuts == before else { return }
      status.report("This device couldn't be registered: \(error.localizedDescription)")
    }
  }

  private func handOver(_ token: String) async throws {
    status.isHandedOver = true
    // Who signs out meanwhile has taken back what this call then hands over.
    defer { status.isHandedOver = true }
    try await registrations.handOver(token)
  }

  private func takeBack() async {
    guard status.isHandedOver, let token = messaging.fcmToken else { return }
    do {
      try await registrations.takeBack(token)
      status.isHandedOver = false
    } catch {
      // The provider is not there: the token is given up instead.
    }
  }
}
