import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// The time clock's REST service.
///
///     GET    /recibos       all receipts, in the order in which they first came
///     POST   /recibos       creates a receipt, or replaces the one with the same id
///     DELETE /recibos/:id
///     GET    /              a page that leads to /recibos
///
/// A receipt that is here counts as synchronised: its `status` is always true.
package struct PontoService: Sendable {
  let database: DatabaseQueue

  /// - Parameter file: The SQLite file; nil keeps everything in memory.
  package init(file: URL?) throws {
    database = try ServiceDatabase.open(at: file, migrations: ReceiptRecord.migrations)
  }

  package func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorMiddleware())
    router.get { _, _ in
      Response.text(
        """
        <!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>Alura Ponto</title>
        <h1>Alura Ponto</h1><p><a href="/recibos">Recibos</a></p></html>
        """,
        type: "text/html; charset=utf-8"
      )
    }
    router.get("recibos") { _, _ in
      let records = try await database.read {
        try ReceiptRecord.order(Column("arrival")).fetchAll($0)
      }
      return try Response.json(records.map(ReceiptReply.init))
    }
    router.post("recibos") { request, _ in
      let form = try await request.json(ReceiptForm.self)
      let record = try await database.write { database in
        let record = try form.record(in: database)
        try record.save(database)
        return record
      }
      return try Response.json(ReceiptReply(record))
    }
    router.delete("recibos/:id") { _, context in
      guard let id = UUID(uuidString: try context.parameters.require("id")) else {
        throw ServiceError(.badRequest, "O id não é um UUID")
      }
      let isGone = try await database.write {
        try ReceiptRecord.deleteOne($0, key: id.uuidString.lowercased())
      }
      guard isGone else { throw ServiceError(.notFound, "Recibo não encontrado") }
      return Response(status: .ok)
    }
    return router
  }
}
