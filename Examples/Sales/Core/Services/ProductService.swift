import RESTClient

/// The signed-in user's products.
package protocol ProductService: Sendable {
  func products() async throws(RequestError) -> [Product]
  func create(_ product: Product) async throws(RequestError) -> Product
  /// - Parameter code: The code that the provider knows the product by; the new one may differ.
  func update(_ product: Product, code: String) async throws(RequestError) -> Product
  func delete(code: String) async throws(RequestError)
}

/// The provider's own.
package struct NetworkProductService: ProductService {
  private let client: HTTPClient

  package init(client: HTTPClient) {
    self.client = client
  }

  package func products() async throws(RequestError) -> [Product] {
    try await client.send(Endpoint(.get, "api", "products"))
  }

  package func create(_ product: Product) async throws(RequestError) -> Product {
    try await client.send(Endpoint(.post, "api", "products", body: .json(product)))
  }

  package func update(_ product: Product, code: String) async throws(RequestError) -> Product {
    try await client.send(Endpoint(.put, "api", "products", code, body: .json(product)))
  }

  package func delete(code: String) async throws(RequestError) {
    try await client.send(Endpoint<Void>(.delete, "api", "products", code))
  }
}
