#if canImport(SwiftUI)
import SalesCore
import SwiftUI

struct ProductListView: View {
  let app: SalesViewModel
  let model: ProductListViewModel

  var body: some View {
    NavigationStack {
      List(model.products ?? [], id: \.code) { product in
        Button {
          app.startEditing(product)
        } label: {
          ProductRow(product: product)
        }
        .swipeActions {
          Button("Delete", role: .destructive) {
            Task { await model.delete(product) }
          }
        }
      }
      .navigationTitle("Products")
      .toolbar {
        ToolbarItem(placement: .cancellationAction) {
          Button("Reload", systemImage: "arrow.clockwise") {
            Task { await model.reload() }
          }
        }
        ToolbarItem(placement: .primaryAction) {
          Button("New product", systemImage: "plus", action: app.startCreating)
        }
        ToolbarItem(placement: .secondaryAction) {
          Button("Sign out", action: app.signOut)
        }
      }
    }
    .errorAlert(model.alert, onDismiss: model.dismissAlert)
  }
}

struct ProductRow: View {
  let product: Product

  var body: some View {
    HStack {
      VStack(alignment: .leading) {
        Text(product.name).bold()
        Text(product.code).foregroundStyle(.secondary)
      }
      Spacer()
      Text("$ \(ProductDraft.text(product.price))").monospacedDigit()
    }
  }
}

extension View {
  /// Shows a view model's alert.
  func errorAlert(_ text: String?, onDismiss: @escaping @MainActor () -> Void) -> some View {
    alert("Error", isPresented: .constant(text != nil)) {
      Button("Dismiss", action: onDismiss)
    } message: {
      Text(text ?? "")
    }
  }
}
#endif
