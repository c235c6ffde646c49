#if canImport(SwiftUI) && canImport(UIKit)
import AppLaunch
import OrderStatusCore
import SwiftUI

/// The order status's app: the composition root is its delegate, which the system hands messages to.
public struct OrderStatusApp: App {
  @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

  /// Makes the app; SwiftUI does.
  public init() {}

  /// One window.
  public var body: some Scene {
    WindowGroup {
      LaunchView(delegate.launch) { model in
        RootView(model: model).task { await model.run() }
      }
    }
  }
}

/// The login, or the lines of who is signed in.
struct RootView: View {
  let model: OrderStatusViewModel

  var body: some View {
    switch model.screen {
    case .signIn(let signIn): SignInView(model: model, signIn: signIn)
    case .status(let status): StatusView(model: model, status: status)
    }
  }
}
#endif
