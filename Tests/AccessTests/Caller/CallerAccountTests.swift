import AccessTestSupport
import BaseStatus
import FirestoreModel
import Testing

@testable import Access

/// Accounts behind credentials, which are looked at again when those are long over.
struct CallerAccountTests {
  private static let user = UserIdentity(
    project: "p",
    uid: "ana",
    claims: MapValue([.init(key: "sub", value: .string("ana"))]),
    expiry: 1_700_000_000,
    issued: 1_690_000_000,
    session: 17
  )

  @Test(arguments: [
    CallerAccount.nobody, .development, .administratorKey(fingerprint: [1, 2, 3]),
    .administrator(uid: "u1", session: 99, email: "ada@example.org"),
    .serviceAccount(email: "backend@p.iam.brasa", keyID: "k1"), .sharedSecret(accessID: "GOOG1E"),
    .user(user, mark: "m"),
  ])
  func `an account is the same afterwards`(account: CallerAccount) {
    #expect(CallerAccount(record: account.record) == account)
  }

  @Test(arguments: [[], [1], Caller.administrator.record, Caller.user(user).record])
  func `bytes of an older form name no account`(record: [UInt8]) {
    #expect(CallerAccount(record: record) == nil)
  }

  @Test func `a user who was revoked is nobody's caller, whatever the token's end`() throws {
    let verifier = TestVerifier()
    let fixture = try AccessFixture(.production(key: AdministratorKey("key")), verifier: verifier)
    defer { fixture.close() }
    let control = fixture.access
    let account = CallerAccount.user(Self.user, mark: "")
    #expect(try control.caller(of: account) == .user(Self.user))
    #expect(throws: ServiceError.self) { try control.caller(of: .user(Self.user, mark: "old")) }
    verifier.revoke("ana")
    #expect(throws: ServiceError.self) { try control.caller(of: account) }
  }

  @Test func `an administrator key that was replaced is none, nor are development's callers`()
    throws
  {
    let fixture = try AccessFixture(
      .production(key: AdministratorKey("key")),
      verifier: TestVerifier()
    )
    defer { fixture.close() }
    let control = fixture.access
    let other = AdministratorKey("another key").fingerprint
    for account in [
      CallerAccount.administratorKey(fingerprint: other), .development,
      .administrator(uid: "u1", session: 1, email: "ada@example.org"),
      .serviceAccount(email: "backend@p.iam.brasa", keyID: "k1"),
      .sharedSecret(accessID: "GOOG1E"),
    ] {
      #expect(throws: ServiceError.self) { try control.caller(of: account) }
    }
  }

  @Test func `a permit that is old asks for the account again`() throws {
    let verifier = TestVerifier()
    let bucket = BucketID(project: "p", name: "p.appspot.com")
    for (interval, isOld) in [(Duration.zero, true), (.seconds(3_600), false)] {
      let fixture = try AccessFixture(
        .production(key: AdministratorKey("key")),
        verifier: verifier,
        accountCheckInterval: interval
      )
      defer { fixture.close() }
      let (control, context) = (
        fixture.access, CallContext(requestID: "1", authorization: nil, isSecure: true)
      )
      let check = control.check(of: .user(Self.user), in: "p", context)
      let permit = try control.permit(.administrator, bucket, check: check)
      #expect(permit.isOld == isOld)
      try permit.requireAccount()
    }
    verifier.revoke("ana")
    let fixture = try AccessFixture(.production(key: AdministratorKey("key")), verifier: verifier)
    defer { fixture.close() }
    let context = CallContext(requestID: "1", authorization: nil, isSecure: true)
    let check = fixture.access.check(of: .user(Self.user), in: "p", context)
    let permit = try fixture.access.permit(.administrator, bucket, check: check)
    #expect(throws: ServiceError.self) { try permit.requireAccount() }
  }

  /// The rows that the documentation and the routes rely on.
  @Test func `keys and administrators are owners' to change, with a recent sign-in`() {
    let grave: Set<AdministrativeAct> = [
      .makeKey, .revokeKey, .signAsServiceAccount, .changeSharedSecrets, .changeServerKeys,
      .changePushCredentials, .changeSignInMethods, .associateApps,
      .changeAdministrators, .deleteDatabase, .changeTriggers, .deleteSite, .connectDomain,
    ]
    let editors: Set<AdministrativeAct> = [.eraseUsers, .readRequestLog]
    for act in AdministrativeAct.allCases where !editors.contains(act) {
      #expect(act.right.role == .owner)
      #expect(act.right.takesRecentSignIn == grave.contains(act))
    }
    #expect(AdministrativeAct.eraseUsers.right.takesRecentSignIn)
    #expect(AdministrativeAct.readRequestLog.right.isOfServer)
  }
}
