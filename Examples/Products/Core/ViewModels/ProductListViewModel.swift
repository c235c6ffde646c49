import FirebaseFirestore
import Foundation
import Observation

/// One person's list: live, ordered by name, with photos; and the form that is open over it.
///
/// The list never changes itself: what is stored or deleted comes back through the listener, at once and without a
/// connection too.
@MainActor @Observable
package final class ProductListViewModel {
  /// nil until the first snapshot.
  package private(set) var products: [Product]?
  /// Documents that are no product and were left out.
  package private(set) var skipped = 0
  /// True if the list may be behind the server.
  package private(set) var isFromCache = false
  /// Why a write was refused, or another thing that was asked for did not happen.
  package private(set) var error: String?
  /// Why the list follows the server no more; nil while it does.
  package private(set) var stopped: String?
  /// The photos that can be shown.
  package private(set) var photos: Set<String> = []
  package private(set) var form: ProductFormViewModel?
  package let person: String
  @ObservationIgnored private let store: ProductStore
  @ObservationIgnored private let events: ProductEvents
  @ObservationIgnored private var listener: (any ListenerRegistration)?
  @ObservationIgnored private let photoTurns: AsyncStream<Void>
  @ObservationIgnored private let loadPhotos: AsyncStream<Void>.Continuation

  init(_ services: ProductServices, person: String) {
    self.person = person
    events = services.events
    store = ProductStore(services, person: person)
    (photoTurns, loadPhotos) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: Life

  /// Listens, loads photos and looks after those in question, until `end`.
  func run() async {
    subscribe()
    await withDiscardingTaskGroup { group in
      group.addTask { await self.store.run() }
      for await _ in photoTurns { await loadMissingPhotos() }
    }
  }

  private func subscribe() {
    listener = store.query.addSnapshotListener(includeMetadataChanges: true) {
      [weak self] snapshot, error in
      if let snapshot { self?.take(snapshot) }
      if let error { self?.stopped = error.localizedDescription }
    }
  }

  /// Follows the server again after the listener has ended with an error.
  package func tryAgain() {
    guard stopped != nil else { return }
    stopped = nil
    listener?.remove()
    subscribe()
  }

  /// Empties the list and ends everything, so that the next person sees nothing of it.
  func end() {
    listener?.remove()
    listener = nil
    (products, photos, form, error, stopped) = (nil, [], nil, nil, nil)
    loadPhotos.finish()
    store.end()
  }

  /// Forgets the photos on this device.
  func forgetPhotos() async { await store.forgetPhotos() }

  /// Maps every document by itself, so that a bad one costs only itself.
  private func take(_ snapshot: QuerySnapshot) {
    let found = snapshot.documents.compactMap { document in
      (try? document.data(as: Product.self)).map { ($0, document) }
    }
    products = found.map(\.0)
    skipped = snapshot.documents.count - found.count
    let isBack = isFromCache && !snapshot.metadata.isFromCache
    isFromCache = snapshot.metadata.isFromCache
    if isBack { store.askAgain() }
    loadPhotos.yield()
  }

  // MARK: Photos

  private func loadMissingPhotos() async {
    let wanted = Set((products ?? []).compactMap(\.imageId)).subtracting(photos)
    for imageId in wanted.sorted() {
      do {
        _ = try await store.photo(imageId)
        if products?.contains(where: { $0.imageId == imageId }) == true { photos.insert(imageId) }
      } catch {
        // The row keeps its icon; the next snapshot tries again.
      }
    }
  }

  /// A photo's bytes; nil where it is none of this list's, or cannot be had now.
  package func photo(_ imageId: String) async -> Data? {
    guard products?.contains(where: { $0.imageId == imageId }) == true else { return nil }
    do {
      return try await store.photo(imageId)
    } catch {
      return nil
    }
  }

  // MARK: What the person does

  /// Opens the form of a new product.
  package func beginProduct() {
    events.didBeginProduct()
    form = ProductFormViewModel(nil) { [weak self] draft, photo in
      guard let self else { return }
      try await store.add(draft, photo: photo) { [weak self] in
        self?.refused($0, "The product couldn't be saved. ")
      }
    }
  }

  /// Opens a product in the form.
  package func edit(_ id: String) {
    guard let product = product(id) else { return }
    events.didSelect(product)
    form = ProductFormViewModel(product) { [weak self] draft, photo in
      guard let self else { return }
      // Its photo may have become another one since the form was opened.
      let current = self.product(id) ?? product
      try await store.change(current, to: draft, photo: photo) { [weak self] in
        self?.refused($0, "The product couldn't be updated. ")
      }
    }
  }

  /// Stores what is in the form, and closes it when that is done.
  package func saveForm() async {
    guard let form, await form.store(), self.form === form else { return }
    self.form = nil
  }

  package func closeForm() { form = nil }

  /// Deletes a product and its photo.
  package func delete(_ id: String) async {
    guard let product = product(id) else { return }
    events.didAttemptDelete(product)
    do {
      try await store.delete(product) { [weak self] in self?.refused($0, Self.deletion) }
    } catch {
      refused(error, Self.deletion)
    }
  }

  package func dismissError() { error = nil }

  private static let deletion = "The product couldn't be deleted. "

  /// Says what went wrong, behind what did not happen.
  func refused(_ error: any Error, _ failure: String = "") {
    self.error = failure + error.localizedDescription
  }

  private func product(_ id: String) -> Product? { products?.first { $0.id == id } }
}
