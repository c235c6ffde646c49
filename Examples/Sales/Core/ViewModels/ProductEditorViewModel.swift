import Observation
import RESTClient

/// The form that creates or edits a product at the provider.
///
/// It stays open, as it was filled in, until the provider has accepted it.
@MainActor @Observable
package final class ProductEditorViewModel {
  package var draft: ProductDraft
  package private(set) var alert: String?
  package private(set) var priceError: String?
  package private(set) var isBusy = false
  package private(set) var isDone = false

  /// The product that is edited; nil while creating.
  @ObservationIgnored private let original: Product?
  @ObservationIgnored private let service: any ProductService
  @ObservationIgnored private let list: ProductListViewModel

  init(original: Product?, service: any ProductService, list: ProductListViewModel) {
    self.original = original
    self.service = service
    self.list = list
    draft = original.map(ProductDraft.init) ?? ProductDraft()
  }

  package var isNew: Bool { original == nil }
  package var title: String { isNew ? "New product" : "Edit product" }
  package var saveTitle: String { isNew ? "Add" : "Save" }

  package func save() async {
    priceError = draft.priceValue == nil ? "The price must be a number of at least 0" : nil
    guard !isBusy, let price = draft.priceValue else { return }
    isBusy = true
    defer { isBusy = false }
    let product = Product(
      id: original?.id,
      name: draft.name,
      description: draft.description,
      code: draft.code,
      price: price,
      quantity: original?.quantity
    )
    do {
      list.include(try await send(product))
      isDone = true
    } catch {
      alert = isNew ? "The product couldn't be saved" : "The product couldn't be updated"
    }
  }

  package func dismissAlert() {
    alert = nil
  }

  private func send(_ product: Product) async throws(RequestError) -> Product {
    guard let original else { return try await service.create(product) }
    return try await service.update(product, code: original.code)
  }
}
