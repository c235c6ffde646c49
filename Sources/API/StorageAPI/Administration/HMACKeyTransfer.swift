import Access
import BaseJSON
import BaseStatus
import BaseText
import ObjectStorage
import ServiceModule

extension StorageTransfer {
  /// A project's HMAC keys with their secrets; deleted ones are left out.
  ///
  /// Each is a line with the members `accessId`, `serviceAccountEmail`, `secret`, `state` (`ACTIVE` or `INACTIVE`), `created` and
  /// `updated`, both in microseconds, and `createdBy` (may be missing).
  static func hmacKeys(_ storage: ObjectStorage) -> StorageTransfer {
    var transfer = StorageTransfer("hmac-keys") { scope, _, item in
      let (project, permit) = (scope.database.project, scope.permit)
      let keys = try Waiting.translating { try await storage.hmacKeys(of: project, permit) }
      let lines = keys.compactMap(\.line)
      for line in lines { try item(StorageItem(file: "keys", bytes: line)) }
      return StorageCount(lines.count, "HMAC key")
    } import: { scope, next, tell in
      let (project, permit) = (scope.database.project, scope.permit)
      var count = 0
      // Called at the end: the other side writes all before it reads.
      var refusals: [String] = []
      while let line = try next() {
        let key = try HMACKey(line: line, of: project)
        do {
          try Waiting.translating { try await storage.importHMACKey(key, permit) }
          count += 1
        } catch let error as ServiceError {
          guard error.code == .alreadyExists else { throw error }
          refusals.append("\(key.accessID.string): \(error.message)")
        }
      }
      for refusal in refusals { try tell(.difference(refusal)) }
      return StorageCount(count, "HMAC key")
    }
    transfer.companion = "files"
    return transfer
  }
}

extension HMACKey {
  /// The key as a line of an export; nil for a deleted one.
  fileprivate var line: [UInt8]? {
    guard let secret, state != .deleted else { return nil }
    return JSONValue.object([
      JSONValue.Member("accessId", .text(accessID)),
      JSONValue.Member("serviceAccountEmail", .text(account)),
      JSONValue.Member("secret", .string(secret)),
      JSONValue.Member("state", .string(state == .active ? "ACTIVE" : "INACTIVE")),
      JSONValue.Member("created", .integer(created)),
      JSONValue.Member("updated", .integer(updated)),
      JSONValue.Member("createdBy", .string(maker)),
    ]).compactBytes
  }

  fileprivate init(line: [UInt8], of project: Text) throws {
    let value = try JSONParser.parse(line)
    do {
      var reading = try JSONReading(value)
      guard let id = try reading.text("accessId"),
        let account = try reading.text("serviceAccountEmail"),
        let secret = try reading.text("secret"), let created = try reading.integer("created"),
        let updated = try reading.integer("updated"), let state = try reading.text("state"),
        ["ACTIVE", "INACTIVE"].contains(state.string), !id.string.isEmpty, !secret.string.isEmpty
      else { throw JSONReading.invalid("key") }
      self.init(
        accessID: id,
        project: project,
        account: account,
        secret: secret.string,
        isActive: state == "ACTIVE",
        created: created,
        updated: updated,
        maker: try reading.text("createdBy")?.string ?? ""
      )
    } catch {
      throw ServiceError.invalidArgument("A line of the HMAC keys is malformed.")
    }
  }
}
