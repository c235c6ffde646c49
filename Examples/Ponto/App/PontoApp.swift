#if canImport(SwiftUI)
import ExampleServers
import PontoCore
import SwiftUI

/// The time clock's app: the composition root, and the two tabs.
///
/// The Xcode target that runs it needs four texts in its Info.plist, which README.md lists.
public struct PontoApp: App {
  @State private var app = Result { try PontoApp.make() }

  /// Makes the app; SwiftUI does.
  public init() {}

  /// One window.
  public var body: some Scene {
    WindowGroup {
      switch app {
      case .success(let app): TabsView(app: app)
      case .failure(let error as ExampleServersError): Text(error.localizedDescription)
      case .failure: Text("Não foi possível abrir os registros deste aparelho")
      }
    }
  }

  @MainActor
  private static func make() throws -> PontoViewModel {
    let address = try ExampleServers.bundled().address(of: .ponto)
    let environment = try PontoEnvironment.live(
      address: address,
      folder: .applicationSupportDirectory,
      authenticator: BiometricAuthenticator()
    )
    return PontoViewModel(environment)
  }
}

struct TabsView: View {
  let app: PontoViewModel

  var body: some View {
    TabView(selection: selection) {
      Tab("Início", systemImage: "clock", value: PontoViewModel.Tab.clock) {
        ClockView(app: app)
      }
      Tab("Recibos", systemImage: "list.bullet", value: PontoViewModel.Tab.receipts) {
        ReceiptsView(model: app.receipts)
      }
    }
    .task { await app.run() }
    #if canImport(UIKit)
    .onChange(of: QuickAction.shared.isPending, initial: true) { _, isPending in
      guard isPending else { return }
      QuickAction.shared.isPending = false
      app.startRegistering()
    }
    #endif
  }

  private var selection: Binding<PontoViewModel.Tab> {
    Binding {
      app.tab
    } set: { tab in
      Task { await app.select(tab) }
    }
  }
}
#endif
