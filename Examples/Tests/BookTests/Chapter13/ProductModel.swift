// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import FirebaseFirestoreSwift
import Foundation

/// Chapter 13: photos in the storage.
enum Chapter13 {}

extension Chapter13 {
  // 13.4. The book calls the attribute `imageUrl` here and `imageId` in every later listing.
  struct Product: Codable {

    static let COLLECTION = "products"
    static let USER_ID = "userId"
    static let NAME = "name"

    @DocumentID var id: String? = UUID().uuidString
    var userId: String
    var name: String
    var description: String
    var code: String
    var price: Double
    var imageId: String?
  }

  // 13.5
  class ProductModel {
    init(product: Product) {
      self.product = product
    }

    var product: Product
    // UI apart: `UIImageView(image: UIImage(systemName: "photo"))`; the picture's bytes stand for it.
    var image: Data?

    var id: String? {
      return self.product.id
    }

    var name: String {
      return self.product.name
    }

    var code: String {
      return self.product.code
    }

    var price: Double {
      return self.product.price
    }
  }
}
