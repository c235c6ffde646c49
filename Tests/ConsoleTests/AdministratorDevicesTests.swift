import Access
import Authentication
import KeyValueStore
import Testing

@testable import Console

/// The way into the console while others try passwords.
struct AdministratorDevicesTests {
  private static let email = "ada@example.org"
  private static let password = "a long enough passphrase"
  private let administrators: Administrators

  init() throws {
    var configuration = AccountsConfiguration()
    configuration.limits.wrongPasswordsByAccount = .init(3, per: 3_600)
    let accounts = try Accounts(engine: MemoryEngine(), configuration: configuration)
    administrators = Administrators(accounts, requiresSecondFactor: false)
    let code = try administrators.invite(
      email: Self.email,
      roles: AdministratorRoles(.owner),
      lifetime: 900
    )
    _ = try administrators.accept(code, email: nil, password: Self.password, factorCode: nil)
  }

  private func signIn(
    from address: String,
    _ password: String = password,
    device: String? = nil
  ) throws {
    _ = try administrators.signIn(
      email: Self.email,
      password: password,
      from: address,
      device: device
    )
  }

  @Test func `a storm of wrong passwords from everywhere leaves a known device in`() throws {
    let device = try #require(try administrators.makeDeviceToken(for: Self.email))
    for host in 1...3 {
      #expect(throws: AccountError.self) { try signIn(from: "203.0.113.\(host)", "not this one") }
    }
    // Every new address is locked out, with the right password too.
    #expect(throws: AccountError.self) { try signIn(from: "198.51.100.7") }
    try signIn(from: "198.51.100.8", device: device)
  }

  @Test func `a device's token is of one account and ends with its password`() throws {
    let device = try #require(try administrators.makeDeviceToken(for: Self.email))
    #expect(try administrators.makeDeviceToken(for: "nobody@example.org") == nil)
    #expect(try administrators.device(of: device, for: "ADA@example.org") != nil)
    #expect(try administrators.device(of: device, for: "nobody@example.org") == nil)
    for damaged in ["", "AAAA", String(device.dropLast()), "+" + device.dropFirst(), device + "A"] {
      #expect(try administrators.device(of: damaged, for: Self.email) == nil, "\(damaged)")
    }
    var update = UserUpdate()
    update.password = .set("another long passphrase")
    let user = try #require(try administrators.scope.user(email: Self.email))
    _ = try administrators.scope.update(user.uid, update)
    #expect(try administrators.device(of: device, for: Self.email) == nil)
  }
}
