import GRDB

/// A product as stored; its owner is not answered.
struct ProductRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "product"

  var id: Int64
  var ownerID: Int64
  var name: String
  var description: String?
  var code: String
  var price: Double
  var quantity: Int64
}

struct ProductReply: Encodable {
  let id: Int64
  let name: String
  let description: String
  let code: String
  let price: Double
  let quantity: Int64

  init(_ record: ProductRecord) {
    id = record.id
    name = record.name
    description = record.description ?? ""
    code = record.code
    price = record.price
    quantity = record.quantity
  }
}
