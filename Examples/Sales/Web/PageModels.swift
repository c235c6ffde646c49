import SalesCore

/// The values of the templates of `Pages/`: one type a screen, texts only.

@MainActor
struct SignInModel {
  let email: String
  let error: String?
  let isBusy: Bool

  init(_ model: SignInViewModel) {
    email = model.email
    error = model.error
    isBusy = model.isBusy
  }
}

@MainActor
struct ProductsModel {
  struct Row {
    let name: String
    let code: String
    let price: String
  }

  let isLoading: Bool
  let isEmpty: Bool
  let bones = [1, 2, 3]
  let rows: [Row]
  let alert: String?

  init(_ model: ProductListViewModel) {
    isLoading = model.products == nil
    isEmpty = model.products?.isEmpty == true
    rows = (model.products ?? []).map {
      Row(name: $0.name, code: $0.code, price: "$ \(ProductDraft.text($0.price))")
    }
    alert = model.alert
  }
}

@MainActor
struct EditorModel {
  let title: String
  let saveTitle: String
  let draft: ProductDraft
  let priceError: String?
  let isBusy: Bool
  let alert: String?

  init(_ model: ProductEditorViewModel) {
    title = model.title
    saveTitle = model.saveTitle
    draft = model.draft
    priceError = model.priceError
    isBusy = model.isBusy
    alert = model.alert
  }
}

@MainActor
struct FormModel {
  struct Saved {
    let name: String
    let description: String
    let code: String
    let price: String
  }

  let draft: ProductDraft
  let codeError: String?
  let priceError: String?
  let saved: Saved?

  init(_ model: ProductFormViewModel) {
    draft = model.draft
    codeError =
      model.isCodeValid ? nil : "The code needs \(ProductFormViewModel.shortestCode) characters"
    priceError = model.isPriceValid ? nil : "The price must be a number of at least 0"
    saved = model.saved.map {
      Saved(
        name: $0.name,
        description: $0.description,
        code: $0.code,
        price: ProductDraft.text($0.priceValue ?? 0)
      )
    }
  }
}
