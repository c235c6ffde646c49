#if canImport(SwiftUI)
import SalesCore
import SwiftUI

struct ProductEditorView: View {
  @Bindable var model: ProductEditorViewModel
  let onCancel: @MainActor () -> Void

  var body: some View {
    NavigationStack {
      Form {
        ProductFields(draft: $model.draft, priceIsValid: model.priceError == nil)
        if let error = model.priceError {
          Text(error).foregroundStyle(.red)
        }
      }
      .navigationTitle(model.title)
      .toolbar {
        ToolbarItem(placement: .cancellationAction) {
          Button("Cancel", role: .cancel, action: onCancel)
        }
        ToolbarItem(placement: .confirmationAction) {
          Button(model.saveTitle) {
            Task { await model.save() }
          }
          .disabled(model.isBusy)
        }
      }
    }
    .errorAlert(model.alert, onDismiss: model.dismissAlert)
  }
}

/// The four fields, each with the document's warning sign while it is invalid.
struct ProductFields: View {
  @Binding var draft: ProductDraft
  var codeIsValid = true
  var priceIsValid = true

  var body: some View {
    Section("Product") {
      field("Name:", "Enter the name", $draft.name)
      field("Description:", "Enter the description", $draft.description)
      field("Code:", "Enter the code", $draft.code, isValid: codeIsValid)
      field("Price:", "Enter the price", $draft.price, isValid: priceIsValid)
    }
  }

  private func field(
    _ title: String,
    _ hint: String,
    _ text: Binding<String>,
    isValid: Bool = true
  ) -> some View {
    HStack {
      Text(title)
      TextField(hint, text: text)
      if !isValid {
        Image(systemName: "exclamationmark.triangle.fill")
          .foregroundStyle(.red)
          .accessibilityLabel("Invalid")
      }
    }
  }
}
#endif
