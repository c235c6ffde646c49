import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/api/products`: everybody sees and changes their own; a code is unique among its owner's.
extension SalesService {
  func addProductRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      let owner = try await requireUser(request).id
      let products = try await database.read {
        try ProductRecord.filter(Column("ownerID") == owner).order(Column("code")).fetchAll($0)
      }
      return try Response.json(products.map(ProductReply.init))
    }
    group.post { request, _ in
      let owner = try await requireUser(request).id
      let form = try await request.json(ProductForm.self)
      try form.check()
      let product = form.record(id: .fresh(), owner: owner)
      try await database.write { database in
        try product.checkCodeIsFree(in: database)
        try product.insert(database)
      }
      return try Response.json(ProductReply(product), status: .created)
    }
    group.get(":code") { request, context in
      let owner = try await requireUser(request).id
      let code = try context.parameters.code
      let product = try await database.read { try storedProduct(code, of: owner, in: $0) }
      return try Response.json(ProductReply(product))
    }
    group.put(":code") { request, context in
      let owner = try await requireUser(request).id
      let code = try context.parameters.code
      let form = try await request.json(ProductForm.self)
      try form.check()
      let changed = try await database.write { database in
        try form.record(id: form.id ?? 0, owner: owner).checkCodeIsFree(in: database)
        let id = try storedProduct(code, of: owner, in: database).id
        let changed = form.record(id: id, owner: owner)
        try changed.checkCodeIsFree(in: database)
        try changed.update(database)
        return changed
      }
      return try Response.json(ProductReply(changed))
    }
    group.delete(":code") { request, context in
      let owner = try await requireUser(request).id
      let code = try context.parameters.code
      let product = try await database.write { database in
        let product = try storedProduct(code, of: owner, in: database)
        try product.delete(database)
        return product
      }
      return try Response.json(ProductReply(product))
    }
  }

  private func storedProduct(
    _ code: String,
    of owner: Int64,
    in database: Database
  ) throws -> ProductRecord {
    let found = try ProductRecord.filter(Column("ownerID") == owner && Column("code") == code)
      .fetchOne(database)
    guard let found else { throw ServiceError(.notFound, "Product \(code) not found") }
    return found
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
    guard texts.allSatisfy({ !$0.allSatisfy(\.isWhitespace) && $0.count <= 200 }),
      (description ?? "").count <= 2000
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

extension ProductRecord {
  fileprivate func checkCodeIsFree(in database: Database) throws {
    let same = ProductRecord.filter(Column("ownerID") == ownerID && Column("code") == code)
    guard try same.filter(Column("id") != id).isEmpty(database) else {
      throw ServiceError(.preconditionFailed, "Product \(code) already exists")
    }
  }
}

extension Parameters {
  fileprivate var code: String {
    get throws {
      let text = try require("code")
      return text.removingPercentEncoding ?? text
    }
  }
}
