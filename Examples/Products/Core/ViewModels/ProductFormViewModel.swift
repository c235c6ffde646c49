import Foundation
import Observation

/// The form of a new product or of one that is there, with its photo.
@MainActor @Observable
package final class ProductFormViewModel {
  package var draft: ProductDraft
  /// The photo that was chosen here; nil leaves it as it is.
  package private(set) var photo: Photo?
  /// True while the photo is uploading: the app shows "Saving product..." meanwhile.
  package private(set) var isSaving = false
  /// Why the product is not stored.
  package private(set) var alert: String?
  /// The product that is edited; nil is a new one.
  package let product: Product?
  @ObservationIgnored private let save: @MainActor (ProductDraft, Photo?) async throws -> Void

  /// - Parameter save: Stores the draft; throws where nothing was stored.
  init(
    _ product: Product?,
    save: @escaping @MainActor (ProductDraft, Photo?) async throws -> Void
  ) {
    self.product = product
    draft = product.map(ProductDraft.init) ?? ProductDraft()
    self.save = save
  }

  package var isNew: Bool { product == nil }
  package var title: String { isNew ? "New product" : "Edit product" }
  package var photoTitle: String { isNew ? "Select the photo" : "Change the photo" }
  package var saveTitle: String { isNew ? "Add" : "Save" }

  /// Takes a file for the photo; what is no picture is refused.
  package func choose(_ data: Data) {
    guard let chosen = Photo(data) else {
      alert = "The file is no picture, or larger than 5 MB"
      return
    }
    photo = chosen
  }

  /// Stores the product; true when that is done and the form may close.
  package func store() async -> Bool {
    guard !isSaving else { return false }
    isSaving = true
    defer { isSaving = false }
    do {
      // What is wrong with the draft is said before anything is uploaded.
      _ = try draft.product(of: "", imageId: nil)
      try await save(draft, photo)
      return true
    } catch let problem as ProductDraft.Problem {
      alert = problem.text
    } catch {
      let verb = isNew ? "saved" : "updated"
      alert = "The product couldn't be \(verb). \(error.localizedDescription)"
    }
    return false
  }

  package func dismissAlert() { alert = nil }
}
