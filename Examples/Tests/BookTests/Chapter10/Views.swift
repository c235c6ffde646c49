// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Foundation

// The functions of the views in 10.6 to 10.13. UI apart: `View`, `body` and the navigation bar;
// `@ObservedObject`, `@State` and `@Binding` are plain properties here.

extension Chapter10 {
  // 10.6, 10.10, 10.12
  class ContentView {
    let authenticationViewModel = Chapter09.AuthenticationViewModel()
    let productListViewModel = ProductListViewModel()
    private(set) var showModal = false
    private(set) var showAlert = false

    func onAppear() {
      productListViewModel.fetchProducts()
    }

    // 10.7: the texts of a row.
    func row(_ product: Product) -> [String] {
      [product.name, product.code, String(format: "$ %.2f", product.price)]
    }

    func signOut() {
      productListViewModel.clearProducts()
      authenticationViewModel.signOut()
    }

    func showNewProductView() {
      self.showModal = true
    }

    func deleteProduct(indexSet: IndexSet) {
      let productToDelete = self.productListViewModel
        .products[indexSet.first!]

      productListViewModel
        .deleteProduct(product: productToDelete) { result in
          self.showAlert = !result
        }
    }
  }

  // 10.9
  class AddNewProductView {
    private(set) var isPresented = true
    private(set) var showAlert = false
    let addNewProductViewModel = AddNewProductViewModel()

    func dismiss() {
      self.isPresented = false
    }

    func saveProduct() {
      self.showAlert = false
      if self.addNewProductViewModel.saveNewProduct() {
        self.isPresented = false
      } else {
        self.showAlert = true
      }
    }
  }
}
