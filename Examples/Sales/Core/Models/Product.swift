/// A product of the sales provider.
///
/// Without an identifier it is not stored yet.
package struct Product: Codable, Sendable, Equatable {
  package var id: Int64?
  package var name: String
  package var description: String
  package var code: String
  package var price: Double
  package var quantity: Int64?

  package init(
    id: Int64? = nil,
    name: String,
    description: String,
    code: String,
    price: Double,
    quantity: Int64? = nil
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.code = code
    self.price = price
    self.quantity = quantity
  }
}
