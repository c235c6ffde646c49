#if canImport(SwiftUI)
import SalesCore
import SwiftUI

/// Chapter 5's form.
struct ProductFormView: View {
  @State private var model = ProductFormViewModel()

  var body: some View {
    Form {
      ProductFields(
        draft: $model.draft,
        codeIsValid: model.isCodeValid,
        priceIsValid: model.isPriceValid
      )
      Section {
        Button("Save", action: model.save)
      }
      if let saved = model.saved {
        Section("Product Saved") {
          Text("Name: \(saved.name)")
          Text("Description: \(saved.description)")
          Text("Code: \(saved.code)")
          Text("Price: \(ProductDraft.text(saved.priceValue ?? 0))")
        }
      }
    }
  }
}
#endif
