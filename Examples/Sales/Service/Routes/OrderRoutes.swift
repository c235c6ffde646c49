import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/api/orders`: administrators move orders on, and who placed one may cancel it until it is shipped.
extension SalesService {
  func addOrderRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      _ = try await requireAdministrator(request)
      return try Response.json(try await orders(OrderRecord.all()))
    }
    group.post { request, _ in try await placeOrder(request) }
    group.get("byemail") { request, _ in
      let email = try request.email
      _ = try await requireUser(request, toBe: email)
      return try Response.json(try await orders(OrderRecord.filter(Column("email") == email)))
    }
    group.get(":id") { request, context in
      let user = try await requireUser(request)
      let id = try context.parameters.orderID
      let order = try await database.read { try storedOrder(id, in: $0) }
      guard user.role == .admin || user.email.lowercased() == order.email.lowercased() else {
        throw Self.denied
      }
      return try Response.json(order)
    }
    group.put(":id") { request, context in
      try await change(request, try context.parameters.orderID)
    }
    group.delete(":id") { request, context in
      _ = try await requireAdministrator(request)
      let id = try context.parameters.orderID
      let gone = try await database.write { database in
        let gone = try storedOrder(id, in: database)
        _ = try OrderRecord.deleteOne(database, key: id)
        return gone
      }
      return try Response.json(gone)
    }
  }

  private func placeOrder(_ request: Request) async throws -> Response {
    let caller = try await requireUser(request)
    let form = try await request.json(OrderForm.self)
    guard caller.role == .admin || form.email.lowercased() == caller.email.lowercased() else {
      throw Self.denied
    }
    guard Email.isValid(form.email), form.orderItems.count <= 1000 else {
      throw ServiceError(.badRequest, "Non valid order")
    }
    let order = OrderRecord(
      id: .fresh(),
      email: form.email,
      freightPrice: form.freightPrice ?? 0,
      status: .created
    )
    let placed = try await database.write { database in
      try order.insert(database)
      for item in form.orderItems {
        try OrderItemRecord(id: .fresh(), productID: item.productId, orderID: order.id)
          .insert(database)
      }
      return try OrderReply(order, in: database)
    }
    return try Response.json(try await told(placed, because: "NEW_ORDER"), status: .created)
  }

  /// Changes an order's status; the status that it has already is no change, and nobody is told.
  private func change(_ request: Request, _ id: Int64) async throws -> Response {
    let caller = try await requireUser(request)
    let status = try await request.json(StatusForm.self).status
    let (changed, isNew) = try await database.write { database in
      var order = try storedRecord(id, in: database)
      let isOwner = order.email.lowercased() == caller.email.lowercased()
      guard caller.role == .admin || (isOwner && status == .cancelled) else { throw Self.denied }
      guard status != order.status else { return (try OrderReply(order, in: database), false) }
      guard order.status.successors.contains(status) else {
        let text = "An order that is \(order.status.rawValue) cannot become \(status.rawValue)"
        throw ServiceError(.preconditionFailed, text)
      }
      order.status = status
      try order.update(database)
      return (try OrderReply(order, in: database), true)
    }
    guard isNew else { return try Response.json(changed) }
    let reason = status == .cancelled ? "ORDER_CANCELLED" : "STATUS_CHANGED"
    return try Response.json(try await told(changed, because: reason))
  }

  /// Tells the device of the person whose order it is; a registration that has ended is forgotten.
  private func told(_ order: OrderReply, because reason: String) async throws -> OrderReply {
    let owner = try await database.read {
      try UserRecord.filter(Column("email") == order.email).fetchOne($0)
    }
    let notice = OrderNotice(
      order: order.id,
      email: order.email,
      reason: reason,
      status: order.status.rawValue,
      registration: owner?.gcmRegId
    )
    var told = order
    switch await notifier.orderDidChange(notice) {
    case .sent(let messageID): told.messageId = messageID
    case .notSent: break
    case .unregistered: if let ended = owner?.gcmRegId { try await forget(ended) }
    }
    return told
  }

  private func orders(_ selection: QueryInterfaceRequest<OrderRecord>) async throws -> [OrderReply]
  {
    try await database.read { database in
      try selection.order(Column("email").collating(.nocase), Column("rowid")).fetchAll(database)
        .map { try OrderReply($0, in: database) }
    }
  }

  private func storedOrder(_ id: Int64, in database: Database) throws -> OrderReply {
    try OrderReply(try storedRecord(id, in: database), in: database)
  }

  private func storedRecord(_ id: Int64, in database: Database) throws -> OrderRecord {
    guard let order = try OrderRecord.fetchOne(database, key: id) else {
      throw ServiceError(.notFound, "Order \(id) not found")
    }
    return order
  }
}

private struct OrderForm: Decodable {
  struct Item: Decodable {
    let productId: Int64
  }

  let email: String
  let freightPrice: Double?
  let orderItems: [Item]
}

private struct StatusForm: Decodable {
  let status: OrderStatus
}

extension Parameters {
  fileprivate var orderID: Int64 {
    get throws {
      guard let id = Int64(try require("id")) else {
        throw ServiceError(.badRequest, "The order's id is not a number")
      }
      return id
    }
  }
}
