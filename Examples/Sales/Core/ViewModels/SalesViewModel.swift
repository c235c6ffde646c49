import Foundation
import Observation
import RESTClient

/// The whole app: which screen shows, and the view models of the screens.
@MainActor @Observable
package final class SalesViewModel {
  package enum Screen {
    case signIn(SignInViewModel)
    case products(ProductListViewModel)
    case editor(ProductEditorViewModel)
    case form(ProductFormViewModel)
  }

  package let session: SalesSession
  package let list: ProductListViewModel
  private let form = ProductFormViewModel()
  private let signIn: SignInViewModel
  private var editor: ProductEditorViewModel?
  private var showsForm = false
  @ObservationIgnored private let service: any ProductService

  package init(session: SalesSession, service: any ProductService) {
    self.session = session
    self.service = service
    list = ProductListViewModel(service: service)
    signIn = SignInViewModel(session: session)
  }

  /// The app for a provider that lives at `address`.
  package convenience init(address: URL, store: any CredentialStore) {
    let tokens = NetworkTokenService(client: HTTPClient(baseURL: address))
    let session = SalesSession(store: store, service: tokens)
    let client = HTTPClient(
      baseURL: address,
      interceptors: [BearerAuthorization(source: session), Retry()]
    )
    self.init(session: session, service: NetworkProductService(client: client))
  }

  package var screen: Screen {
    if showsForm { return .form(form) }
    guard session.isSignedIn else { return .signIn(signIn) }
    if let editor, !editor.isDone { return .editor(editor) }
    return .products(list)
  }

  /// Loads what the visible screen shows.
  package func appear() async {
    guard case .products(let list) = screen else { return }
    await list.reload()
  }

  package func startCreating() {
    editor = ProductEditorViewModel(original: nil, service: service, list: list)
  }

  package func startEditing(_ product: Product) {
    editor = ProductEditorViewModel(original: product, service: service, list: list)
  }

  package func closeEditor() {
    editor = nil
  }

  package func show(form isShown: Bool) async {
    showsForm = isShown
    if !isShown, list.products == nil { await appear() }
  }

  package func signOut() {
    do {
      try session.signOut()
      list.clear()
      editor = nil
    } catch {
      list.report("You couldn't be signed out")
    }
  }
}
