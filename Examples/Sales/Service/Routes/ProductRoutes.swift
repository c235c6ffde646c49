import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/api/products`: any user sees all of them and administrators change them, or everybody their own;
/// `Rules` decides.
extension SalesService {
  func addProductRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      let products = visibleProducts(to: try await requireUser(request))
      let found = try await database.read { try products.order(Column("code")).fetchAll($0) }
      return try Response.json(found.map(ProductReply.init))
    }
    group.post { request, _ in
      let caller = try await requireEditor(request)
      let form = try await request.json(ProductForm.self)
      try form.check()
      let product = form.record(id: .fresh(), owner: caller.id)
      try await database.write { database in
        try checkCodeIsFree(product, in: database)
        try product.insert(database)
      }
      return try Response.json(ProductReply(product), status: .created)
    }
    group.get(":code") { request, context in
      let caller = try await requireUser(request)
      let code = try context.parameters.code
      let product = try await database.read { try storedProduct(code, for: caller, in: $0) }
      return try Response.json(ProductReply(product))
    }
    group.put(":code") { request, context in
      let caller = try await requireEditor(request)
      let code = try context.parameters.code
      let form = try await request.json(ProductForm.self)
      try form.check()
      let changed = try await database.write { database in
        try checkCodeIsFree(form.record(id: form.id ?? 0, owner: caller.id), in: database)
        let old = try storedProduct(code, for: caller, in: database)
        let changed = form.record(id: old.id, owner: old.ownerID)
        try checkCodeIsFree(changed, in: database)
        try changed.update(database)
        return changed
      }
      return try Response.json(ProductReply(changed))
    }
    group.delete(":code") { request, context in
      let caller = try await requireEditor(request)
      let code = try context.parameters.code
      let product = try await database.write { database in
        let product = try storedProduct(code, for: caller, in: database)
        try product.delete(database)
        return product
      }
      return try Response.json(ProductReply(product))
    }
  }

  /// The user who asks, who must be allowed to change products.
  private func requireEditor(_ request: Request) async throws -> UserRecord {
    switch rules {
    case .book: try await requireAdministrator(request)
    case .repository: try await requireUser(request)
    }
  }

  private func visibleProducts(to user: UserRecord) -> QueryInterfaceRequest<ProductRecord> {
    switch rules {
    case .book: ProductRecord.all()
    case .repository: ProductRecord.filter(Column("ownerID") == user.id)
    }
  }

  private func storedProduct(
    _ code: String,
    for user: UserRecord,
    in database: Database
  ) throws -> ProductRecord {
    let found = try visibleProducts(to: user).filter(Column("code") == code).fetchOne(database)
    guard let found else { throw ServiceError(.notFound, "Product \(code) not found") }
    return found
  }

  private func checkCodeIsFree(_ product: ProductRecord, in database: Database) throws {
    var same = ProductRecord.filter(Column("code") == product.code && Column("id") != product.id)
    if rules == .repository { same = same.filter(Column("ownerID") == product.ownerID) }
    guard try same.isEmpty(database) else {
      throw ServiceError(.preconditionFailed, "Product \(product.code) already exists")
    }
  }
}

private struct ProductForm: Decodable {
  let id: Int64?
  let name: String?
  let description: String?
  let code: String?
  let price: Double?
  let quantity: Int64?

  func check() throws {
    let texts = [name ?? "", code ?? ""]
    guard texts.allSatisfy({ TextLine.isValid($0, upTo: 200) }),
      (description ?? "").unicodeScalars.count <= 2000
    else { throw ServiceError(.badRequest, "Non valid product") }
  }

  func record(id: Int64, owner: Int64) -> ProductRecord {
    ProductRecord(
      id: id,
      ownerID: owner,
      name: name ?? "",
      description: description,
      code: code ?? "",
      price: price ?? 0,
      quantity: quantity ?? 0
    )
  }
}

extension Parameters {
  fileprivate var code: String {
    get throws {
      let text = try require("code")
      let code = text.removingPercentEncoding ?? text
      guard !code.contains("\0") else { throw ServiceError.textWithNUL }
      return code
    }
  }
}
