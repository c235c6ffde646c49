#if canImport(SwiftUI)
import ExampleServers
import RESTClient
import SwiftUI
import VollmedCore

/// The clinic's app: the composition root, and the screen that the view model asks for.
public struct VollmedApp: App {
  @State private var app = Result { try VollmedApp.make() }

  /// Makes the app; SwiftUI does.
  public init() {}

  /// One window.
  public var body: some Scene {
    WindowGroup {
      switch app {
      case .success(let app): RootView(app: app)
      case .failure(let error): Text(error.localizedDescription)
      }
    }
  }

  @MainActor
  private static func make() throws -> VollmedViewModel {
    let address = try ExampleServers.bundled().address(of: .vollmed)
    let session = Session(store: KeychainItem(account: "app-vollmed-session"))
    return VollmedViewModel(.live(address: address, session: session), session: session)
  }
}

struct RootView: View {
  let app: VollmedViewModel

  var body: some View {
    screen
      .overlay(alignment: .bottom) { SnackbarView(message: app.snackbar.message) }
      .task { await app.appear() }
  }

  @ViewBuilder private var screen: some View {
    switch app.screen {
    case .signIn(let model):
      SignInView(model: model, onSignUp: app.startSignUp, onSignedIn: app.appear)
    case .signUp(let model): SignUpView(model: model, onBack: app.goBack)
    case .tab(let tab): TabsView(app: app, tab: tab)
    case .booking(let model): BookingView(model: model, onBack: app.goBack)
    case .cancellation(let model): CancellationView(model: model, onBack: app.goBack)
    }
  }
}

struct TabsView: View {
  let app: VollmedViewModel
  let tab: VollmedViewModel.Tab

  var body: some View {
    TabView(selection: selection) {
      Tab("Home", systemImage: "house", value: VollmedViewModel.Tab.home) {
        HomeView(model: app.home, onBook: app.startBooking)
      }
      Tab("Minhas consultas", systemImage: "calendar", value: VollmedViewModel.Tab.appointments) {
        AppointmentsView(
          model: app.appointments,
          onMove: app.startMoving,
          onCancel: app.startCancelling
        )
      }
    }
  }

  private var selection: Binding<VollmedViewModel.Tab> {
    Binding {
      tab
    } set: { tab in
      Task { await app.select(tab) }
    }
  }
}
#endif
