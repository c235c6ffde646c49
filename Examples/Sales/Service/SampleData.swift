import GRDB

extension SalesService {
  /// Gives the administrator the book's two products and three more, unless there are any already.
  package func addSampleData() async throws {
    try await database.write { database in
      guard try ProductRecord.fetchCount(database) == 0,
        let owner = try UserRecord.filter(Column("email") == Self.administrator)
          .fetchOne(database)
      else { return }
      for (name, description, code, price) in [
        ("product1", "description1", "COD1", 10), ("product2", "description2", "COD2", 20),
        ("Caneta azul", "Ponta fina", "CAN01", 3.5), ("Caderno", "96 folhas", "CAD01", 18.9),
        ("Mochila", "À prova d'água", "MOC01", 159.0),
      ] {
        try ProductRecord(
          id: .fresh(),
          ownerID: owner.id,
          name: name,
          description: description,
          code: code,
          price: price,
          quantity: 10
        ).insert(database)
      }
    }
  }
}
