#if canImport(SwiftUI)
import FirebaseCore
import FirebaseUI
import ProductsCore
import SwiftUI

/// The products' app: the composition root.
public struct ProductsApp: App {
  @State private var model: ProductsViewModel

  /// Configures Firebase by the app's `GoogleService-Info.plist`; SwiftUI makes the app.
  public init() {
    do {
      let app = try FirebaseApp.configured()
      guard let services = ProductServices(app, providers: { [FUIGoogleAuth(authUI: $0)] }) else {
        fatalError("The app lacks a part.")
      }
      model = ProductsViewModel(services)
    } catch {
      fatalError("The app lacks its configuration: \(error.localizedDescription)")
    }
  }

  /// One window.
  public var body: some Scene {
    WindowGroup {
      ContentView(model: model).task { await model.run() }
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
