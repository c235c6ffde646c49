import Authentication
import BaseJSON
import BaseStatus
import ServiceModule

extension ServiceStorage {
  /// The accounts of all projects, with their tokens, tickets, keys and set-up.
  ///
  /// Each transfer in `Transfer/` describes its part of an export.
  package static func accounts(_ accounts: Accounts) -> ServiceStorage {
    var storage = ServiceStorage("accounts")
    storage.check = { _, tell in
      let count = try accounts.verify(
        progress: { try tell(.progress(done: $0, total: nil, unit: "account")) },
        report: { try tell(.difference($0)) }
      )
      return [StorageCount(count, "account")]
    }
    storage.transfers = [
      .settings(accounts), .mailTemplates(accounts), .apps(accounts), .accounts(accounts),
      .secondFactors(accounts), .providerSecrets(accounts),
    ]
    return storage
  }
}
