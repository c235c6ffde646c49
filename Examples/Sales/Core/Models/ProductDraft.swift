import Foundation

/// A product while it is typed: every field is text, and each can tell whether it is valid.
package struct ProductDraft: Sendable, Equatable {
  package enum Field: String, CaseIterable, Sendable {
    case name, description, code, price
  }

  package var name = ""
  package var description = ""
  package var code = ""
  package var price = "0.00"

  package init() {}

  package init(_ product: Product) {
    name = product.name
    description = product.description
    code = product.code
    price = Self.text(product.price)
  }

  package subscript(field: Field) -> String {
    get {
      switch field {
      case .name: name
      case .description: description
      case .code: code
      case .price: price
      }
    }
    set {
      switch field {
      case .name: name = newValue
      case .description: description = newValue
      case .code: code = newValue
      case .price: price = newValue
      }
    }
  }

  /// The price as a number: digits with at most one point or comma, not negative.
  package var priceValue: Double? {
    let text = price.trimmingCharacters(in: .whitespaces)
    guard text.wholeMatch(of: /\d{1,12}([.,]\d{0,4})?/) != nil else { return nil }
    return Double(text.replacing(",", with: "."))
  }

  package static func text(_ price: Double) -> String {
    String(format: "%.2f", price)
  }
}
