import BaseStatus
import BaseText
import SecurityRules

/// A caller's right to one bucket: to everything, or to what the rules say.
///
/// Only `AccessControl` creates it; the store of objects opens no bucket without one. Any thread
/// may call; rules that read documents touch the disk.
package struct BucketPermit: Sendable {
  /// The extent of the right.
  enum Extent: Sendable {
    case administrator
    /// All that rules could allow, for every caller: development mode without rules.
    case everything
    /// The operations that these rules allow.
    case rules(ObjectGate)
  }

  /// The only bucket that the permit opens.
  package let bucket: BucketID
  /// The number of events that led to the use of the permit, one causing the next.
  package var eventDepth = 0
  private let extent: Extent
  /// Looks again at the account that the permit was given to; nil where there is none that could end.
  private let account: AccountCheck?

  /// A look at an account: throws PERMISSION_DENIED where it is gone or has lost its right; may wait for the disk.
  package typealias Check = @Sendable () throws(ServiceError) -> Void

  /// A check, and when it is due.
  struct AccountCheck: Sendable {
    let check: Check
    let due: ContinuousClock.Instant
  }

  init(_ bucket: BucketID, _ extent: Extent, account: AccountCheck? = nil) {
    self.bucket = bucket
    self.extent = extent
    self.account = account
  }

  /// True once so much time has passed since the permit was given that `requireAccount` has to be asked.
  package var isOld: Bool { account.map { $0.due <= .now } ?? false }

  /// Throws PERMISSION_DENIED where the account that the permit was given to has lost its right since.
  ///
  /// Long operations, such as an upload, call it while they continue. May wait for the disk.
  package func requireAccount() throws(ServiceError) { try account?.check() }

  /// True if the holder is an administrator of the bucket, who may also do operations that no rules
  /// can allow.
  package var isAdministrator: Bool {
    if case .administrator = extent { true } else { false }
  }

  /// The rules to ask; nil where none apply.
  private var gate: ObjectGate? {
    if case .rules(let gate) = extent { gate } else { nil }
  }

  /// Throws PERMISSION_DENIED for all callers except administrators, for operations that no rules
  /// can allow.
  ///
  /// - Parameter operations: Plural; begins the text of the error.
  package func requireAdministrator(for operations: String) throws(ServiceError) {
    guard !isAdministrator else { return }
    throw ServiceError(.permissionDenied, "\(operations) require admin authentication.")
  }

  /// Asks the rules; throws PERMISSION_DENIED where they do not allow, and what the store throws.
  ///
  /// The decision is about the given object: when the write takes effect, the writer checks that
  /// the object is still the same, and asks again if it is not.
  ///
  /// - Parameters:
  ///   - name: The object's name, or the prefix of a list.
  ///   - stored: The object that is there before the request; nil where there is none.
  package func require(
    _ request: ObjectRequest,
    _ name: Text,
    stored: StorageResource? = nil
  ) throws {
    try gate?.require(request, name, stored: stored)
  }

  /// Returns true if no rules apply, or they allow without a look at documents; false says nothing.
  ///
  /// For threads that must not block; after false, call `require`.
  ///
  /// - Parameter stored: The members of the object that is there before the request; nil where there is none.
  package func allowsInMemory(
    _ request: ObjectRequest,
    _ name: Text,
    stored: RulesMap?
  ) -> Bool { gate?.allowsInMemory(request, name, stored: stored) ?? true }

  /// The same of reading an object, which is remembered where the rules look at nothing but the object and the caller.
  ///
  /// - Parameter allowed: Whom the rules allowed to read this object, with these very members.
  package func allowsReadInMemory(
    _ name: Text,
    stored: RulesMap,
    remembering allowed: AllowedRead
  ) -> Bool { gate?.allowsReadInMemory(name, stored: stored, remembering: allowed) ?? true }
}
