import FirebaseCore
import LivePage
import OrderStatusCore
import SalesCore

/// The order status in a browser: draws the view models and passes on what the person does.
@MainActor
package final class OrderStatusPage: LiveApp {
  private let model: OrderStatusViewModel
  private let app: FirebaseApp

  init(_ model: OrderStatusViewModel, app: FirebaseApp) {
    self.model = model
    self.app = app
  }

  /// Runs the app, and ends it with the browser's session.
  package func run() async {
    await model.run()
    _ = await app.delete()
  }

  package var view: LiveView {
    switch model.screen {
    case .signIn(let signIn):
      LiveView(template: "sign-in", model: SignInModel(signIn, asks: asks))
    case .status(let status):
      LiveView(template: "status", model: StatusModel(status, asks: asks))
    }
  }

  /// True if the person has not decided yet if banners may be shown; a phone asks at the app's
  /// first start.
  private var asks: Bool { model.status.allowsBanners == nil }

  package func perform(_ action: LiveAction) async {
    switch (action.name, model.screen) {
    case ("allow", _): model.status.decide(allowsBanners: true)
    case ("deny", _): model.status.decide(allowsBanners: false)
    case ("sign-in", .signIn(let signIn)):
      signIn.email = action["email"]
      signIn.password = action["password"]
      await model.signIn()
    case ("sign-out", .status): await model.signOut()
    case ("try-again", .status): model.tryAgain()
    case ("dismiss", .status(let status)): status.dismissBanner()
    default: break
    }
  }
}
