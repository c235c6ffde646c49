// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Firebase
import FirebaseFirestoreSwift
import Foundation

extension Chapter10 {
  // 10.8
  class AddNewProductViewModel {
    var name: String = ""
    var description: String = ""
    var code: String = ""
    var price: Double = 0.0

    private let db = Firestore.firestore()

    // The scan has `userID:` for `userId:`, and two `catch` blocks.
    func saveNewProduct() -> Bool {
      let product = Product(
        userId: Auth.auth().currentUser!.uid,
        name: self.name,
        description: self.description,
        code: self.code,
        price: self.price
      )

      let newProductRef = db.collection(Product.COLLECTION).document()

      do {
        try newProductRef.setData(from: product)
        print("The new product has been saved - ID: \(newProductRef.documentID)")
        return true
      } catch let error {
        print("Error while saving new product: \(error)")
        return false
      }
    }
  }
}
