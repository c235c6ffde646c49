import FirebaseUI
import Foundation
import ProductsCore

/// The values of the templates of `Pages/`: one type a screen, texts only.

@MainActor
struct SignInModel {
  struct Provider {
    let id: String
    let label: String
  }

  let email: String
  let error: String?
  let isBusy: Bool
  let providers: [Provider]
  let page: String?

  init(_ model: SignInViewModel) {
    (email, error, isBusy) = (model.email, model.error, model.isBusy)
    page = model.providerPage?.absoluteString
    providers = model.providers.map { Provider(id: $0.providerID ?? "", label: $0.signInLabel) }
  }
}

@MainActor
struct ListModel {
  struct Row {
    let id: String
    let name: String
    let code: String
    let price: String
    /// The photo's name; nil where the row shows the icon.
    let photo: String?
    let canDelete: Bool
  }

  let isLoading: Bool
  let isEmpty: Bool
  let isBehind: Bool
  let skipped: Int?
  let alert: String?
  /// Why the list is not followed any more.
  let stopped: String?
  let rows: [Row]

  init(_ model: ProductListViewModel, canDelete: Bool) {
    isLoading = model.products == nil && model.stopped == nil
    isEmpty = model.products?.isEmpty == true
    isBehind = model.products != nil && model.isFromCache
    skipped = model.skipped == 0 ? nil : model.skipped
    (alert, stopped) = (model.error, model.stopped)
    rows = (model.products ?? []).map { product in
      Row(
        id: product.id ?? "",
        name: product.name,
        code: product.code,
        price: product.priceText,
        photo: product.imageId.flatMap { model.photos.contains($0) ? $0 : nil },
        canDelete: canDelete
      )
    }
  }
}

@MainActor
struct FormModel {
  let key: String
  let title: String
  let name: String
  let description: String
  let code: String
  let price: String
  /// The photo that is shown, as an address; nil is the icon.
  let photo: String?
  let photoLabel: String
  let saveLabel: String
  let isSaving: Bool
  let alert: String?

  init(_ model: ProductFormViewModel) {
    key = "form-\(model.product?.id ?? "new")"
    (title, photoLabel, saveLabel) = (model.title, model.photoTitle, model.saveTitle)
    (name, description) = (model.draft.name, model.draft.description)
    (code, price) = (model.draft.code, model.draft.price)
    let chosen = model.photo.map {
      "data:\($0.contentType);base64,\($0.data.base64EncodedString())"
    }
    photo = chosen ?? model.product?.imageId.map { "/live/files/\($0)" }
    (isSaving, alert) = (model.isSaving, model.alert)
  }
}
