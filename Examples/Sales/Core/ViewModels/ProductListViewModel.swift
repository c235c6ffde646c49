import Observation
import RESTClient

/// The list of products.
///
/// The list changes only by what the service has confirmed: a created product is appended without
/// a reload, a deleted one leaves after the reply.
@MainActor @Observable
package final class ProductListViewModel {
  /// nil until the first reply.
  package private(set) var products: [Product]?
  package private(set) var alert: String?
  @ObservationIgnored private let service: any ProductService

  package init(service: any ProductService) {
    self.service = service
  }

  package func reload() async {
    do {
      products = try await service.products()
    } catch {
      alert = "The products couldn't be loaded"
    }
  }

  package func delete(_ product: Product) async {
    do {
      try await service.delete(code: product.code)
      products?.removeAll { $0.id == product.id }
    } catch {
      alert = "The product couldn't be deleted"
    }
  }

  package func dismissAlert() {
    alert = nil
  }

  /// Takes in what the form has saved.
  func include(_ saved: Product) {
    guard let index = products?.firstIndex(where: { $0.id == saved.id }) else {
      products = (products ?? []) + [saved]
      return
    }
    products?[index] = saved
  }

  func report(_ text: String) {
    alert = text
  }

  func clear() {
    products = nil
  }
}
