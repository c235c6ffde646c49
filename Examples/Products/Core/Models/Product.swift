import FirebaseFirestore
import Foundation

/// A product of one person's list: a document of the collection `products`.
package struct Product: Codable, Identifiable, Sendable {
  @DocumentID package var id: String?
  /// The id of its owner; the rules let no other user see it.
  package var userId: String
  package var name: String
  package var description: String
  package var code: String
  package var price: Double
  /// The photo's name in its owner's folder; nil where there is none.
  package var imageId: String?

  /// The price as lists show it, such as `$ 1.50`.
  package var priceText: String { String(format: "$ %.2f", price) }

  package init(
    userId: String,
    name: String,
    description: String,
    code: String,
    price: Double,
    imageId: String? = nil
  ) {
    (self.userId, self.name, self.description) = (userId, name, description)
    (self.code, self.price, self.imageId) = (code, price, imageId)
  }
}
