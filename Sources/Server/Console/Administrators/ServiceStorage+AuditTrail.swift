import AuditTrail
import ServiceModule

extension ServiceStorage {
  /// The audit trail, whose digests are recomputed.
  package static func auditTrail(_ trail: AuditTrail) -> ServiceStorage {
    var storage = ServiceStorage("audit")
    storage.check = { _, tell in
      let count = try trail.verify { try tell(.difference($0)) }
      guard count > 0 else { return [] }
      return [StorageCount(count, "audit entry", plural: "audit entries")]
    }
    return storage
  }
}
