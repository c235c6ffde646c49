import Foundation

/// The text that a person typed into the form of a product.
package struct ProductDraft: Equatable, Sendable {
  package var name = ""
  package var description = ""
  package var code = ""
  package var price = "0.00"

  package init() {}

  /// The draft of a product that is there.
  package init(_ product: Product) {
    (name, description, code) = (product.name, product.description, product.code)
    price = product.price.formatted(
      .number.grouping(.never).precision(.fractionLength(2...6)).locale(Locale(identifier: "en_US"))
    )
  }

  /// Why the draft is no product yet, as a sentence for the person.
  package struct Problem: Error, Equatable {
    package let text: String
  }

  /// The product that the draft describes.
  package func product(of person: String, imageId: String?) throws(Problem) -> Product {
    let name = name.trimmingCharacters(in: .whitespaces)
    let code = code.trimmingCharacters(in: .whitespaces)
    guard !name.isEmpty else { throw Problem(text: "The product needs a name") }
    guard !code.isEmpty else { throw Problem(text: "The product needs a code") }
    guard let price = Double(price.replacing(",", with: ".")), price.isFinite, price >= 0 else {
      throw Problem(text: "The price must be a number")
    }
    return Product(
      userId: person,
      name: name,
      description: description,
      code: code,
      price: price,
      imageId: imageId
    )
  }
}
