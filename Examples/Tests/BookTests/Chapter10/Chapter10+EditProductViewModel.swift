// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Firebase
import FirebaseFirestoreSwift
import Foundation

extension Chapter10 {
  // 10.13
  class EditProductViewModel {
    private var id: String?
    var name: String = ""
    var description: String = ""
    var code: String = ""
    var price: Double = 0.0

    private let db = Firestore.firestore()

    func setProduct(product: Product) {
      self.id = product.id
      self.name = product.name
      self.description = product.description
      self.code = product.code
      self.price = product.price
    }

    // The scan has `userID:` for `userId:`.
    func updateProduct() -> Bool {
      let product = Product(
        userId: Auth.auth().currentUser!.uid,
        name: self.name,
        description: self.description,
        code: self.code,
        price: self.price
      )

      let productRef = db.collection(Product.COLLECTION).document(self.id!)

      do {
        try productRef.setData(from: product)
        print("The product has been updated - ID: \(productRef.documentID)")
        return true
      } catch let error {
        print("Error while updating the product: \(error)")
        return false
      }
    }
  }
}
