#if canImport(SwiftUI)
import ProductsCore
import SwiftUI

/// The live list; a tap edits, a swipe deletes where the flag allows it.
struct ProductListView: View {
  let model: ProductsViewModel
  let list: ProductListViewModel

  var body: some View {
    NavigationStack {
      List {
        if let stopped = list.stopped {
          Text("The list is not up to date any more: \(stopped)").foregroundStyle(.red)
          Button("Try again") { list.tryAgain() }
        }
        if list.isFromCache {
          Label("Offline: the list may be behind.", systemImage: "wifi.slash")
        }
        ForEach(list.products ?? []) { product in
          Button {
            list.edit(product.id ?? "")
          } label: {
            ProductRow(list: list, product: product)
          }
          .swipeActions {
            if model.canDelete {
              Button("Delete", role: .destructive) {
                Task { await list.delete(product.id ?? "") }
              }
            }
          }
        }
      }
      .overlay {
        if list.products?.isEmpty == true {
          ContentUnavailableView("No products yet", systemImage: "shippingbox")
        }
      }
      .navigationTitle("Products")
      .toolbar {
        ToolbarItem(placement: .cancellationAction) {
          Button("Log out", systemImage: "person") { Task { await model.signOut() } }
        }
        ToolbarItem(placement: .primaryAction) {
          Button("New product", systemImage: "plus") { list.beginProduct() }
        }
      }
    }
    .sheet(isPresented: isEditing) {
      if let form = list.form { ProductFormView(list: list, form: form) }
    }
    .alert("Error", isPresented: hasError) {
      Button("Dismiss") { list.dismissError() }
    } message: {
      Text(list.error ?? "")
    }
  }

  private var isEditing: Binding<Bool> {
    Binding {
      list.form != nil
    } set: {
      if !$0 { list.closeForm() }
    }
  }

  private var hasError: Binding<Bool> {
    Binding {
      list.error != nil && list.form == nil
    } set: {
      if !$0 { list.dismissError() }
    }
  }
}

struct ProductRow: View {
  let list: ProductListViewModel
  let product: Product

  var body: some View {
    HStack {
      PhotoView(list: list, imageId: product.imageId)
        .frame(width: 50, height: 50)
        .clipShape(.circle)
      VStack(alignment: .leading) {
        Text(product.name).bold()
        Text(product.code).foregroundStyle(.secondary)
      }
      Spacer()
      Text(product.priceText)
    }
  }
}

/// A photo from the cache or the server, or the icon.
struct PhotoView: View {
  let list: ProductListViewModel
  let imageId: String?
  @State private var data: Data?

  var body: some View {
    image
      .task(id: imageId) { data = if let imageId { await list.photo(imageId) } else { nil } }
  }

  @ViewBuilder private var image: some View {
    #if canImport(UIKit)
    if let picture = data.flatMap(UIImage.init) {
      Image(uiImage: picture).resizable().scaledToFill()
    } else {
      Image(systemName: "photo")
    }
    #else
    Image(systemName: "photo")
    #endif
  }
}
#endif
