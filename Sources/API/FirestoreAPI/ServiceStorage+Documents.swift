import Access
import FirestoreService
import ServiceModule

extension ServiceStorage {
  /// The documents of all databases, with their indexes, history and logs.
  ///
  /// Their items are messages: an export hands out `Document`, an import takes `UpdateDocumentRequest`.
  ///
  /// - Parameter maintenance: One step of the store's sweeps, index builds and erasing.
  package static func documents(maintenance: @escaping Maintenance) -> ServiceStorage {
    var storage = ServiceStorage("documents")
    storage.maintenance = maintenance
    storage.check = { scope, tell in
      let permit = scope.permit
      let seen = try DocumentAdministration(permit).verify(
        progress: { try tell(.documents($0)) },
        report: { try tell(.difference($0)) }
      )
      return [
        StorageCount(seen.documents, "document"),
        StorageCount(seen.indexEntries, "index entry", plural: "index entries"),
      ]
    }
    storage.transfers = [transfer, .indexes]
    return storage
  }

  private static let transfer = StorageTransfer("documents") { scope, tell, item in
    let count = try DocumentAdministration(scope.permit).exportDocuments(
      of: scope.database,
      progress: { try tell(.documents($0)) },
      item: { try item(StorageItem(file: $0, bytes: $1)) }
    )
    return StorageCount(count, "document")
  } import: { scope, next, tell in
    let result = try DocumentAdministration(scope.permit)
      .importDocuments(into: scope.database, by: scope.fill, next: next)
    for refusal in result.refusals { try tell(.difference(refusal)) }
    return StorageCount(result.written, "document")
  }
}

extension StorageEvent {
  fileprivate static func documents(_ count: Int) -> StorageEvent {
    .progress(done: count, total: nil, unit: "document")
  }
}
