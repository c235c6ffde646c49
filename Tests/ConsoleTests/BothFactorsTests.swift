import Access
import BaseRuntime
import Foundation
import KeyValueStore
import Synchronization
import Testing

@testable import Authentication
@testable import Console

/// Password and second factor of an administrator at once, while others try passwords.
struct BothFactorsTests {
  private static let email = "ada@example.org"
  private static let password = "a long enough passphrase"
  private let time = TestTime()
  private let administrators: Administrators
  private let secret: [UInt8]
  private let recoveryCodes: [String]

  /// The clock, in microseconds since 1970.
  private final class TestTime: Sendable {
    let now = Atomic<Int64>(1_800_000_000_000_000)

    func pass(_ seconds: Int64) { now.add(seconds * 1_000_000, ordering: .relaxed) }
  }

  init() throws {
    var configuration = AccountsConfiguration()
    configuration.limits.wrongPasswordsByAccount = .init(3, per: 3_600)
    configuration.limits.secondFactorsByAccount = .init(4, per: 600)
    configuration.clock = MicrosecondClock { [time] in time.now.load(ordering: .relaxed) }
    let accounts = try Accounts(engine: MemoryEngine(), configuration: configuration)
    administrators = Administrators(accounts, requiresSecondFactor: true)
    let code = try administrators.invite(
      email: Self.email,
      roles: AdministratorRoles(.owner),
      lifetime: 900
    )
    secret = try administrators.invitation(code).secret
    let made = try administrators.accept(
      code,
      email: nil,
      password: Self.password,
      factorCode: Self.code(secret, time)
    )
    recoveryCodes = made.recoveryCodes
    time.pass(60)
  }

  private static func code(_ secret: [UInt8], _ time: TestTime) -> String {
    TOTP.code(secret: secret, step: time.now.load(ordering: .relaxed) / 30_000_000)
  }

  private var code: String { Self.code(secret, time) }

  /// A code of six digits that is none of this hour.
  private var wrongCode: String {
    let step = time.now.load(ordering: .relaxed) / 30_000_000
    let right = (-120...120).map { TOTP.code(secret: secret, step: step + $0) }
    return (0..<1_000).map { String(900_000 + $0) }.first { !right.contains($0) } ?? ""
  }

  /// The error of an attempt with both; nil where it came in.
  private func both(
    from address: String,
    _ password: String = password,
    code: String? = nil,
    email: String = email
  ) throws -> AccountError.Code? {
    do {
      let session = try administrators.signIn(
        email: email,
        password: password,
        code: code ?? self.code,
        from: address
      )
      _ = try administrators.makeToken(session: session)
      return nil
    } catch let error as AccountError {
      return error.code
    }
  }

  private func storm() {
    for host in 1...3 {
      #expect(throws: AccountError.self) {
        try administrators.signIn(
          email: Self.email,
          password: "not this one",
          from: "203.0.113.\(host)"
        )
      }
    }
  }

  private func isLockedOut(_ address: String) -> Bool {
    do {
      _ = try administrators.signIn(email: Self.email, password: Self.password, from: address)
      return false
    } catch {
      return (error as? AccountError)?.code == .tooManyAttempts
    }
  }

  @Test func `both factors at once come in while others try passwords`() throws {
    storm()
    #expect(isLockedOut("198.51.100.7"))
    #expect(try both(from: "198.51.100.7") == nil)
    // The address is the owner's from now on.
    #expect(!isLockedOut("198.51.100.7"))
    #expect(try both(from: "198.51.100.8", code: recoveryCodes[0]) == nil)
    // A code is good once.
    #expect(try both(from: "198.51.100.9", code: recoveryCodes[0]) == .invalidLoginCredentials)
    #expect(try both(from: "198.51.100.9") == .invalidLoginCredentials)
    time.pass(30)
    #expect(try both(from: "198.51.100.9") == nil)
  }

  @Test func `both factors at once tell nothing of either`() throws {
    storm()
    let attempts: [(String, String?, String)] = [
      ("not this one", nil, Self.email), (Self.password, wrongCode, Self.email),
      ("not this one", wrongCode, Self.email), (Self.password, nil, "nobody@example.org"),
      (Self.password, "not a code", Self.email),
    ]
    for (number, (password, code, email)) in attempts.enumerated() {
      let address = "198.51.100.\(number)"
      #expect(
        try both(from: address, password, code: code, email: email) == .invalidLoginCredentials
      )
      // A right password makes no address the owner's.
      #expect(isLockedOut(address))
    }
    // Each attempt counts at its address, with the right password too.
    let outcomes = try [Self.password, "not this one"].map { password in
      try (0..<11).map { _ in try both(from: "192.0.2.\(password.count)", password, code: wrongCode)
      }
    }
    #expect(outcomes[0] == outcomes[1])
    #expect(
      outcomes[0] == Array(repeating: .invalidLoginCredentials, count: 10) + [.tooManyAttempts]
    )
  }

  @Test func `strangers use up no codes of an account`() throws {
    storm()
    for host in 1...20 {
      #expect(
        try both(from: "198.51.100.\(host)", "not this one", code: wrongCode)
          == .invalidLoginCredentials
      )
    }
    #expect(try both(from: "192.0.2.1") == nil)
    time.pass(30)
    // A caller who knows the password has few codes, however many addresses.
    for host in 1...4 {
      #expect(
        try both(from: "192.0.2.\(host + 1)", code: wrongCode) == .invalidLoginCredentials
      )
    }
    #expect(try both(from: "192.0.2.9") == .invalidLoginCredentials)
    time.pass(600)
    #expect(try both(from: "192.0.2.9") == nil)
  }

  @Test func `an account without a second factor has no such way`() throws {
    let user = try #require(try administrators.scope.user(email: Self.email))
    var update = UserUpdate()
    update.secondFactors = []
    _ = try administrators.scope.update(user.uid, update)
    #expect(try both(from: "192.0.2.1") == .invalidLoginCredentials)
    #expect(try both(from: "192.0.2.1", code: recoveryCodes[0]) == .invalidLoginCredentials)
  }
}
