#if canImport(SwiftUI)
import AppLaunch
import FirebaseCore
import FirebaseUI
import ProductsCore
import SwiftUI

/// The products' app: the composition root.
public struct ProductsApp: App {
  @State private var launch: Result<ProductsViewModel, any Error>

  /// Configures Firebase by the app's `GoogleService-Info.plist` or the examples' servers; SwiftUI makes the app.
  public init() {
    launch = Result {
      let app = try FirebaseApp.launched(as: .products)
      let services = try ProductServices(app, providers: { [FUIGoogleAuth(authUI: $0)] })
      return ProductsViewModel(services)
    }
  }

  /// One window.
  public var body: some Scene {
    WindowGroup {
      LaunchView(launch) { model in
        ContentView(model: model).task { await model.run() }
      }
    }
  }
}

/// The login, or the list of who is signed in.
struct ContentView: View {
  let model: ProductsViewModel

  var body: some View {
    switch model.screen {
    case .starting: ProgressView()
    case .signIn(let signIn): SignInView(model: signIn)
    case .list(let list): ProductListView(model: model, list: list)
    }
  }
}
#endif
