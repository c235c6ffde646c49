import Observation

/// Chapter 5's form: no service, just fields bound both ways and their validation.
///
/// `save` decides which fields are invalid; the saved product shows only while the fields are as
/// they were when it was saved.
@MainActor @Observable
package final class ProductFormViewModel {
  package var draft = ProductDraft() {
    didSet { if draft != oldValue { saved = nil } }
  }
  package private(set) var isCodeValid = true
  package private(set) var isPriceValid = true
  package private(set) var saved: ProductDraft?

  package static let shortestCode = 5

  package init() {}

  package func save() {
    isCodeValid = draft.code.count >= Self.shortestCode
    isPriceValid = draft.priceValue != nil
    saved = isCodeValid && isPriceValid ? draft : nil
  }
}
