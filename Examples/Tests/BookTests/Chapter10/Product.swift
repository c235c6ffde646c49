// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import FirebaseFirestoreSwift
import Foundation

/// Chapter 10: products in the database.
enum Chapter10 {}

extension Chapter10 {
  // 10.3
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
  }
}
