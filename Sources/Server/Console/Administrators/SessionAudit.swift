import Authentication
import AuditTrail
import ServiceModule

/// Runs sign-ins and changes of people's own accounts, and records the results in the audit trail.
struct SessionAudit: Sendable {
  let environment: ConsoleEnvironment

  /// Runs blocking work and notes that it succeeded.
  ///
  /// A failure is noted where it is about an administrator's account, whose attempts are limited: what strangers
  /// try would only make the trail long.
  ///
  /// - Parameters:
  ///   - work: Gives its result and the administrator's address.
  ///   - email: The address that was typed.
  func noting<R: Sendable>(
    _ action: String,
    _ request: ServiceRequest,
    of email: String? = nil,
    _ work: @escaping @Sendable (Administrators) throws -> (R, email: String)
  ) async throws -> R {
    try await environment.blocking {
      do {
        let (result, email) = try work(environment.administrators)
        try note(action, request, of: email, status: 200)
        return result
      } catch let error as AccountError {
        let isLimited = error.code == .tooManyAttempts
        if let email, !isLimited, try environment.administrators.isKnown(email) {
          try note(action, request, of: email, status: 401)
        }
        throw error
      }
    }
  }

  private func note(
    _ action: String,
    _ request: ServiceRequest,
    of email: String,
    status: Int
  ) throws {
    let event = AuditEvent(
      administrator: email,
      address: request.address,
      action: action,
      target: "",
      status: status,
      requestID: request.context.requestID
    )
    try environment.audit.append(event)
  }
}
