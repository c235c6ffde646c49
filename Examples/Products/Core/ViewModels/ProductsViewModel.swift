import FirebaseAuth
import FirebaseCore
import Foundation
import Observation

/// The whole app: who is signed in decides which screen there is.
@MainActor @Observable
package final class ProductsViewModel {
  package enum Screen {
    /// The session of the last run is being read.
    case starting
    case signIn(SignInViewModel)
    case list(ProductListViewModel)
  }

  package private(set) var screen = Screen.starting
  package let flags: FeatureFlags
  @ObservationIgnored private let services: ProductServices

  package init(_ services: ProductServices) {
    self.services = services
    flags = services.flags
  }

  package var app: FirebaseApp { services.app }

  /// True if products can be deleted from the list.
  package var canDelete: Bool { flags.canDelete }

  /// Runs the app until its task is cancelled: asks for flags, and follows who is signed in.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.flags.refresh() }
      for await user in services.auth.authStateChanges {
        guard let list = show(user?.uid) else { continue }
        group.addTask { await list.run() }
      }
      endList()
      group.cancelAll()
    }
  }

  /// Leads back to the login and empties the list; photos on this device go too.
  package func signOut() async {
    guard case .list(let list) = screen else { return }
    do {
      try services.auth.signOut()
      _ = show(nil)
      await list.forgetPhotos()
    } catch {
      // The session is still on the device, and the person signed in.
      list.refused(error)
    }
  }

  /// Changes the screen where somebody else is signed in; returns a new list, which is to be run.
  private func show(_ person: String?) -> ProductListViewModel? {
    switch (screen, person) {
    case (.list(let list), let person?) where list.person == person: return nil
    case (.signIn, nil): return nil
    case (_, nil):
      endList()
      screen = .signIn(SignInViewModel(services))
      return nil
    case (_, let person?):
      endList()
      let list = ProductListViewModel(services, person: person)
      screen = .list(list)
      return list
    }
  }

  private func endList() {
    if case .list(let list) = screen { list.end() }
  }
}
