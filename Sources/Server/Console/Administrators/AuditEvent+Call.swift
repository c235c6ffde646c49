import Access
import AuditTrail

extension AuditEvent {
  /// A call that an administrator made.
  package init(_ call: AdministrativeCall) {
    self.init(
      administrator: call.administrator.email,
      address: call.address,
      action: call.action,
      target: call.target,
      status: call.status,
      requestID: call.requestID,
      subjects: call.subjects.texts
    )
  }
}
