// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Firebase
import FirebaseFirestoreSwift
import Foundation

extension Chapter10 {
  // 10.6
  class ProductListViewModel: ObservableObject {
    @Published var products = [Product]()

    // Combine's own on Apple's systems.
    let objectWillChange = ObjectWillChange()

    private let db = Firestore.firestore()

    func fetchProducts() {
      db.collection(Product.COLLECTION).whereField(
        Product.USER_ID,
        isEqualTo: Auth.auth().currentUser!.uid
      ).order(by: Product.NAME)
        .addSnapshotListener { querySnapshot, error in
          guard let documents = querySnapshot?.documents else {
            print("Error fetching documents: \(error!)")
            return
          }

          self.products = documents.compactMap {
            queryDocumentSnapshot -> Product? in
            return try? queryDocumentSnapshot.data(as: Product.self)
          }
        }
    }

    func clearProducts() {
      products = [Product]()
    }

    // 10.12
    func deleteProduct(product: Product, completion: @escaping (Bool) -> Void) {
      db.collection(Product.COLLECTION).document(product.id!).delete() { error in
        if let error = error {
          print("Error while removing the product: \(error)")
          completion(false)
        } else {
          print("Product successfully removed!")
          completion(true)
        }
      }
    }
  }
}
