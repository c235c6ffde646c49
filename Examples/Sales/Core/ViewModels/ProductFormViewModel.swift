import Observation

/// Chapter 5's form: no service, just fields bound both ways and their validation.
///
/// `save` decides which fields are invalid, and whether the product shows below; from then on it
/// follows what is typed.
@MainActor @Observable
package final class ProductFormViewModel {
  package var draft = ProductDraft() {
    didSet { if draft.priceValue != nil { price = draft.price } }
  }
  package private(set) var isCodeValid = true
  package private(set) var isPriceValid = true
  private var isSaved = false
  /// The last price that was one.
  private var price = ProductDraft().price

  package static let shortestCode = 5

  package init() {}

  /// The saved product, bound to the fields; what is no price leaves the one before.
  package var saved: ProductDraft? {
    guard isSaved else { return nil }
    var shown = draft
    shown.price = price
    return shown
  }

  package func save() {
    isCodeValid = draft.code.count >= Self.shortestCode
    isPriceValid = draft.priceValue != nil
    isSaved = isCodeValid && isPriceValid
  }
}
