#if canImport(UIKit) && canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
import AuthenticationServices
import FirebaseAuth
import FirebaseCore
import UIKit

extension FUIAuth {
  /// The screen with a button for each provider, in a navigation controller.
  ///
  /// The provider's page is a sheet of the system's browser. A server in development, in plain text, leads back by the app's
  /// own scheme, which needs no entry in `Info.plist`. In production the page ends at `/__/auth/handler` of the server, whose
  /// host the app must have among its associated domains (`webcredentials:`); this takes iOS 17.4.
  @MainActor
  public func authViewController() -> UINavigationController {
    UINavigationController(rootViewController: FUIAuthPickerViewController(self))
  }
}

/// A button for each provider.
@MainActor
public final class FUIAuthPickerViewController: UIViewController,
  ASWebAuthenticationPresentationContextProviding
{
  private let authUI: FUIAuth
  private var session: ASWebAuthenticationSession?

  init(_ authUI: FUIAuth) {
    self.authUI = authUI
    super.init(nibName: nil, bundle: nil)
    title = "Welcome"
  }

  /// Not from an archive.
  @available(*, unavailable)
  public required init?(coder: NSCoder) { nil }

  /// Lays out the buttons.
  public override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .systemBackground
    let stack = UIStackView(arrangedSubviews: authUI.providers.map(button))
    stack.axis = .vertical
    stack.spacing = 12
    stack.translatesAutoresizingMaskIntoConstraints = false
    view.addSubview(stack)
    NSLayoutConstraint.activate([
      stack.centerYAnchor.constraint(equalTo: view.centerYAnchor),
      stack.leadingAnchor.constraint(equalTo: view.layoutMarginsGuide.leadingAnchor),
      stack.trailingAnchor.constraint(equalTo: view.layoutMarginsGuide.trailingAnchor),
    ])
  }

  private func button(_ provider: any FUIAuthProvider) -> UIButton {
    var configuration = UIButton.Configuration.filled()
    configuration.title = provider.signInLabel
    return UIButton(
      configuration: configuration,
      primaryAction: UIAction { [weak self] _ in
        Task { await self?.signIn(with: provider) }
      }
    )
  }

  private func signIn(with provider: any FUIAuthProvider) async {
    do {
      let back = try authUI.returnAddress()
      let page = try await authUI.beginSignIn(with: provider, continueURL: back.url)
      let answer = try await answer(of: page, back)
      try await authUI.finishSignIn(with: answer)
      dismiss(animated: true)
    } catch {
      // The delegate was notified; the buttons are still there.
      authUI.cancelSignIn()
    }
  }

  private func answer(of page: URL, _ back: FUIReturnAddress) async throws -> URL {
    try await withCheckedThrowingContinuation { continuation in
      let finish: @Sendable (URL?, (any Error)?) -> Void = { answer, error in
        if let answer {
          continuation.resume(returning: answer)
        } else {
          continuation.resume(throwing: error ?? FUIAuthErrorCode.userCancelledSignIn.object)
        }
      }
      guard let session = Self.session(page, back, finish) else {
        return continuation.resume(throwing: FUIAuthErrorCode.systemTooOld.object)
      }
      session.presentationContextProvider = self
      self.session = session
      session.start()
    }
  }

  /// The browser's sheet; nil where the system knows no callback over https.
  private static func session(
    _ page: URL,
    _ back: FUIReturnAddress,
    _ finish: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> ASWebAuthenticationSession? {
    switch back {
    case .app(let url):
      return ASWebAuthenticationSession(
        url: page,
        callbackURLScheme: url.scheme,
        completionHandler: finish
      )
    case .page(let url):
      guard #available(iOS 17.4, macCatalyst 17.4, visionOS 1.1, *) else { return nil }
      return ASWebAuthenticationSession(
        url: page,
        callback: .https(host: url.host() ?? "", path: url.path()),
        completionHandler: finish
      )
    }
  }

  /// The window over which the provider's page appears.
  public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
    view.window ?? ASPresentationAnchor()
  }
}
#endif
