#if canImport(SwiftUI)
import ExampleServers
import RESTClient
import SalesCore
import SwiftUI

/// The sales provider's app: the composition root, and the screen that the view model asks for.
public struct SalesApp: App {
  @State private var app = Result { try SalesApp.make() }

  /// Makes the app; SwiftUI does.
  public init() {}

  /// One window.
  public var body: some Scene {
    WindowGroup {
      switch app {
      case .success(let app):
        TabView {
          Tab("Products", systemImage: "shippingbox") { RootView(app: app) }
          Tab("Form", systemImage: "square.and.pencil") { ProductFormView() }
        }
      case .failure(let error): Text(error.localizedDescription)
      }
    }
  }

  @MainActor
  private static func make() throws -> SalesViewModel {
    let address = try ExampleServers.bundled().address(of: .sales)
    return SalesViewModel(address: address, store: KeychainItem(account: "app-sales-session"))
  }
}

struct RootView: View {
  let app: SalesViewModel

  var body: some View {
    Group {
      switch app.screen {
      case .signIn(let model): SignInView(model: model, onSignedIn: app.appear)
      case .products, .editor, .form: ProductListView(app: app, model: app.list)
      }
    }
    .sheet(isPresented: isEditing) {
      if case .editor(let model) = app.screen {
        ProductEditorView(model: model, onCancel: app.closeEditor)
      }
    }
    .task { await app.appear() }
  }

  private var isEditing: Binding<Bool> {
    Binding {
      if case .editor = app.screen { true } else { false }
    } set: { isShown in
      if !isShown { app.closeEditor() }
    }
  }
}
#endif
