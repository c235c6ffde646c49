// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Firebase
import FirebaseFirestoreSwift
import FirebaseUI
import Foundation

extension Chapter13 {
  // 13.6
  class ProductListViewModel: ObservableObject {
    @Published var products = [ProductModel]()

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
          }.map(ProductModel.init)

          self.loadImages()
        }
    }

    func clearProducts() {
      products = [ProductModel]()
    }

    func deleteProduct(product: Product, completion: @escaping (Bool) -> Void) {
      if let imageId = product.imageId {
        self.deleteImage(imageId: imageId)
      }

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

    // The scan has `\(#imageId)` for `\(imageId)`.
    private func deleteImage(imageId: String) {
      let storage = Storage.storage()
      let storageRef = storage.reference()

      let imageRef =
        storageRef
        .child("/users/\(Auth.auth().currentUser!.uid)/\(imageId)")

      imageRef.delete { error in
        if error != nil {
          print("Failed to delete the product image")
        } else {
          print("The product image has been deleted")
        }
      }
    }

    private func loadImages() {
      let storage = Storage.storage()
      let storageRef = storage.reference()
      let userid = Auth.auth().currentUser!.uid

      for product in products {
        if let imageUrl = product.product.imageId {

          let imageRef =
            storageRef
            .child("/users/\(userid)/\(imageUrl)")

          print("Loading imageUrl: \(imageUrl)")
          setImage(of: product, with: imageRef)
        }
      }
    }

    // UI apart: `product.image.sd_setImage(with:placeholderImage:)`, which shows what this loader gives.
    private func setImage(of product: ProductModel, with imageRef: StorageReference) {
      Task { @MainActor in
        do {
          let image = try await StorageImageLoader.shared.imageData(of: imageRef)
          print("Image loaded")
          product.image = image.data
          self.objectWillChange.send()
        } catch {
          print("Error loading image: \(error)")
        }
      }
    }
  }
}
