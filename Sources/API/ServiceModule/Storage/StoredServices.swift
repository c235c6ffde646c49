import Access
import BaseStatus

/// The storage of all services, as the server maintains it and the commands work on it.
package struct StoredServices: Sendable {
  /// The result of a verification.
  package struct Verification: Sendable, Equatable {
    /// The counts of all services, in the order of the services.
    package var counts: [StorageCount] = []
    /// The number of differences that were reported; 0 if all that was checked is right.
    package var differences = 0
  }

  private let storages: [ServiceStorage]
  private let transfers: [String: StorageTransfer]

  /// These services; refuses two of one name, and two kinds of data of one name.
  package init(_ storages: [ServiceStorage]) throws(ServiceError) {
    self.storages = storages
    var names: Set<String> = []
    var transfers: [String: StorageTransfer] = [:]
    for storage in storages {
      guard names.insert(storage.name).inserted else { throw Self.twins(storage.name) }
      for transfer in storage.transfers {
        guard transfers.updateValue(transfer, forKey: transfer.name) == nil else {
          throw Self.twins(transfer.name)
        }
      }
    }
    self.transfers = transfers
  }

  /// The kinds of data that are exported together, in the order of the services: all but secrets.
  package var transferNames: [String] {
    storages.flatMap(\.transfers).filter { !$0.isSecret }.map(\.name)
  }

  /// The kinds of data that are secrets, in the order of the services, each with the kind that it belongs to.
  package var secretTransfers: [(name: String, companion: String)] {
    storages.flatMap(\.transfers).compactMap { transfer in
      transfer.companion.map { (transfer.name, $0) }
    }
  }

  /// Runs every service's check; differences begin with the service's name.
  package func verify(
    _ scope: StorageCheckScope,
    tell: (StorageEvent) throws -> Void
  ) throws -> Verification {
    var found = Verification()
    for storage in storages {
      guard let check = storage.check else { continue }
      found.counts += try check(scope) { event in
        guard case .difference(let text) = event else { return try tell(event) }
        found.differences += 1
        try tell(.difference("\(storage.name): \(text)"))
      }
    }
    return found
  }

  /// Exports one kind of data.
  package func exportItems(
    of name: String,
    scope: StorageScope,
    tell: (StorageEvent) throws -> Void,
    item: (StorageItem) throws -> Void
  ) throws -> StorageCount { try transfer(name).exportItems(scope, tell, item) }

  /// Imports one kind of data.
  package func importItems(
    of name: String,
    scope: StorageScope,
    next: () throws -> [UInt8]?,
    tell: (StorageEvent) throws -> Void
  ) throws -> StorageCount { try transfer(name).importItems(scope, next, tell) }

  /// Does one step of every service's maintenance and answers whether any has more to do at once.
  ///
  /// A service whose step fails is told to `failed` and has no more to do for now; the others go on.
  package func maintain(failed: (_ service: String, _ error: any Error) -> Void) -> Bool {
    var hasMore = false
    for storage in storages {
      do {
        if try storage.maintenance?() == true { hasMore = true }
      } catch {
        failed(storage.name, error)
      }
    }
    return hasMore
  }

  /// Does one step of every service's maintenance and answers whether any has more to do at once; throws the
  /// first error.
  package func maintain() throws -> Bool {
    var first: (any Error)?
    let hasMore = maintain { _, error in first = first ?? error }
    if let first { throw first }
    return hasMore
  }

  private func transfer(_ name: String) throws(ServiceError) -> StorageTransfer {
    guard let transfer = transfers[name] else {
      throw .invalidArgument(
        "There is no kind of data \(name). Kinds: \(transfers.keys.sorted().joined(separator: ", "))."
      )
    }
    return transfer
  }

  private static func twins(_ name: String) -> ServiceError {
    ServiceError(.internalError, "Two services store data under the name \(name).")
  }
}
