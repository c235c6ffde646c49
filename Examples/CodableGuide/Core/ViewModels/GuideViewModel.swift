import FirebaseAuth
import FirebaseFirestore
import Observation

/// The whole app: signs in, shows the menu, and opens one screen at a time.
///
/// A screen's listeners live from `open` to the next `open` or `close`.
@MainActor @Observable
package final class GuideViewModel {
  /// An entry of the menu.
  package enum Entry: String, CaseIterable, Sendable {
    case manual, simple, custom, arrays, nested, dates, locations, colors, enums, mapping
  }

  package enum Screen {
    case manual(ManualMappingViewModel)
    case simple(BookViewModel<Book>)
    case custom(BookViewModel<BookWithCoverImages>)
    case arrays(BookViewModel<BookWithGenre>)
    case nested(BookViewModel<BookWithTags>)
    case languages(LanguagesViewModel)
    case locations(OfficesViewModel)
    case colors(ColorsViewModel)
    case articles(ArticlesViewModel)
  }

  /// The user of the app; nil until somebody is signed in.
  package private(set) var person: String?
  /// Why nobody is signed in.
  package private(set) var error: MappingError?
  package private(set) var entry: Entry?
  package private(set) var screen: Screen?
  package let app: FirebaseApp
  @ObservationIgnored private let auth: Auth
  @ObservationIgnored private let database: Firestore
  /// The entry that was chosen before a user was signed in.
  @ObservationIgnored private var chosen: Entry?

  package init(_ app: FirebaseApp) {
    self.app = app
    auth = Auth.auth(app: app)
    database = Firestore.firestore(app: app)
  }

  /// Signs in without a name; who was here before is still signed in, with a connection or without.
  package func start() async {
    guard person == nil else { return }
    do {
      person = try await auth.signInAnonymously().user.uid
      error = nil
      if let chosen { open(chosen) }
    } catch {
      self.error = MappingError(error)
    }
  }

  /// Opens a screen; before somebody is signed in, as soon as that is so.
  package func open(_ entry: Entry) {
    close()
    guard let person else {
      chosen = entry
      return
    }
    let screen = makeScreen(entry, person)
    screen.subscribe()
    self.entry = entry
    self.screen = screen
  }

  package func close() {
    screen?.unsubscribe()
    screen = nil
    entry = nil
    chosen = nil
  }

  private func makeScreen(_ entry: Entry, _ person: String) -> Screen {
    switch entry {
    case .manual: .manual(ManualMappingViewModel(database))
    case .simple: .simple(BookViewModel(database))
    case .custom: .custom(BookViewModel(database))
    case .arrays: .arrays(BookViewModel(database))
    case .nested: .nested(BookViewModel(database))
    case .dates, .mapping: .languages(LanguagesViewModel(database, person: person))
    case .locations: .locations(OfficesViewModel(database))
    case .colors: .colors(ColorsViewModel(database))
    case .enums: .articles(ArticlesViewModel(database))
    }
  }
}

extension GuideViewModel.Screen {
  @MainActor
  fileprivate func subscribe() {
    switch self {
    case .manual, .simple, .custom, .arrays, .nested: break
    case .languages(let model): model.subscribe()
    case .locations(let model): model.list.subscribe()
    case .colors(let model): model.list.subscribe()
    case .articles(let model): model.list.subscribe()
    }
  }

  @MainActor
  fileprivate func unsubscribe() {
    switch self {
    case .manual, .simple, .custom, .arrays, .nested: break
    case .languages(let model): model.unsubscribe()
    case .locations(let model): model.list.unsubscribe()
    case .colors(let model): model.list.unsubscribe()
    case .articles(let model): model.list.unsubscribe()
    }
  }
}
