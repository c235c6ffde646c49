import BaseJSON
import BaseText
import PushMessaging
import ServiceModule

extension ServiceStorage {
  /// The registrations, messages and queues of all projects.
  ///
  /// An export has the project's credentials without private keys. Tokens are known only by their
  /// hashes, so registrations are of use only in a copy of the data directory. An import reports
  /// missing credentials.
  package static func messages(_ service: PushService) -> ServiceStorage {
    var storage = ServiceStorage("messages")
    storage.maintenance = {
      let hasMessages = try service.pruneStep()
      let hasRegistrations = try service.sweepRegistrationsStep()
      let hasCaps = try service.sweepCapsStep()
      return hasMessages || hasRegistrations || hasCaps
    }
    storage.check = { _, tell in
      let seen = try MessagingVerification.verify(service) { try tell(.difference($0)) }
      return [
        StorageCount(seen.messages, "message"),
        StorageCount(seen.deliveries, "delivery", plural: "deliveries"),
        StorageCount(seen.registrations, "registration"),
      ]
    }
    storage.transfers = [transfer(service)]
    return storage
  }

  private static func transfer(_ service: PushService) -> StorageTransfer {
    StorageTransfer("messages") { scope, tell, item in
      let known = try credentials(of: scope.database.project, service)
      guard !known.isEmpty else { return StorageCount(0, unit) }
      let line = known.json(withSecrets: false).compact
      try item(StorageItem(file: "credentials", bytes: Array(line.utf8)))
      try tell(.omission("The private keys of push services.", secret: "push"))
      return StorageCount(known.count, unit)
    } import: { scope, next, tell in
      let known = try credentials(of: scope.database.project, service)
      var lacking: [String] = []
      var present = 0
      while let line = try next() {
        let json = try JSONValue(parsing: String(decoding: line, as: UTF8.self))
        let missing = known.lacking(from: json)
        present += max(0, CredentialsTransfer.count(in: json) - missing.count)
        lacking += missing
      }
      for each in lacking { try tell(.difference(each)) }
      return StorageCount(0, unit, skipped: present)
    }
  }

  private static func credentials(
    of project: Text,
    _ service: PushService
  ) throws -> CredentialsTransfer {
    let known = try service.storedCredentials(of: project)
    return CredentialsTransfer(apnsKeys: known.apnsKeys, vapid: known.vapid)
  }

  private static let unit = "credential"
}
