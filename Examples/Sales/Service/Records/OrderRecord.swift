import GRDB

/// An order as stored.
///
/// Its items are rows of their own and go with it.
struct OrderRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "purchase"

  var id: Int64
  var email: String
  var freightPrice: Double
  var status: OrderStatus
}

/// The status of an order; the words are those of the API and of the pushes.
enum OrderStatus: String, Codable, Sendable {
  case created = "CREATED"
  case approved = "APPROVED"
  case shipped = "SHIPPED"
  case delivered = "DELIVERED"
  case cancelled = "CANCELLED"

  /// The statuses that can follow this one.
  var successors: Set<OrderStatus> {
    switch self {
    case .created: [.approved, .cancelled]
    case .approved: [.shipped, .cancelled]
    case .shipped: [.delivered]
    case .delivered, .cancelled: []
    }
  }
}

struct OrderItemRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "purchaseItem"

  var id: Int64
  var productID: Int64
  var orderID: Int64
}

struct OrderReply: Encodable {
  struct Item: Encodable {
    let id: Int64
    let productId: Int64
    let orderId: Int64
  }

  let id: Int64
  let email: String
  let freightPrice: Double
  let status: OrderStatus
  let orderItems: [Item]
  /// The id of the push that this request sent; absent where it sent none.
  var messageId: String?

  init(_ order: OrderRecord, in database: Database) throws {
    id = order.id
    email = order.email
    freightPrice = order.freightPrice
    status = order.status
    orderItems = try OrderItemRecord.filter(Column("orderID") == order.id)
      .order(Column("rowid")).fetchAll(database)
      .map { Item(id: $0.id, productId: $0.productID, orderId: $0.orderID) }
  }
}
