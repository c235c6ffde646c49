import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/api/orders`
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
    let order = OrderRecord(id: .fresh(), email: form.email, freightPrice: form.freightPrice ?? 0)
    let (reply, registration) = try await database.write { database in
      try order.insert(database)
      for item in form.orderItems {
        try OrderItemRecord(id: .fresh(), productID: item.productId, orderID: order.id)
          .insert(database)
      }
      let buyer = try UserRecord.filter(Column("email") == order.email).fetchOne(database)
      return (try OrderReply(order, in: database), buyer?.gcmRegId)
    }
    await notifier.orderWasPlaced(
      OrderNotice(
        order: order.id,
        email: order.email,
        reason: "NEW_ORDER",
        status: "CREATED",
        registration: registration
      )
    )
    return try Response.json(reply, status: .created)
  }

  private func orders(_ selection: QueryInterfaceRequest<OrderRecord>) async throws -> [OrderReply]
  {
    try await database.read { database in
      try selection.order(Column("email").collating(.nocase), Column("rowid")).fetchAll(database)
        .map { try OrderReply($0, in: database) }
    }
  }

  private func storedOrder(_ id: Int64, in database: Database) throws -> OrderReply {
    guard let order = try OrderRecord.fetchOne(database, key: id) else {
      throw ServiceError(.notFound, "Order \(id) not found")
    }
    return try OrderReply(order, in: database)
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
