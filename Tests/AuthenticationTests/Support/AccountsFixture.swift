import BaseRuntime
import BaseText
import Foundation
import KeyValueRocksDB
import KeyValueStore
import Synchronization
import Testing

@testable import Authentication

/// The engines on which accounts are tested.
enum EngineKind: CaseIterable, CustomTestStringConvertible {
  case memory, rocksDB

  var testDescription: String {
    switch self {
    case .memory: "memory"
    case .rocksDB: "RocksDB"
    }
  }
}

/// Accounts on an engine of their own, with a clock set by hand.
///
/// Keys have 2,048 bits; making one takes a while, so all fixtures begin with the same.
final class AccountsFixture: Sendable {
  let clock: ManualClock
  let engine: any KeyValueEngine
  let accounts: Accounts
  private let directory: String?

  /// Now, rounded down to a second: other libraries look at the true clock.
  static let start = MicrosecondClock.system.now() / 1_000_000 * 1_000_000

  init(
    _ kind: EngineKind = .memory,
    pool: PasswordPool = AccountsFixture.pool,
    _ configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws {
    let clock = ManualClock(Self.start)
    self.clock = clock
    switch kind {
    case .memory:
      directory = nil
      engine = MemoryEngine(storage: MemoryStorage(), clock: clock.clock)
    case .rocksDB:
      let path = NSTemporaryDirectory() + "brasa-accounts-" + UUID().uuidString
      directory = path
      engine = try RocksDBEngine(directory: path, clock: clock.clock)
    }
    var configuration = AccountsConfiguration()
    configuration.clock = clock.clock
    configuration.defaults.allowsAnonymous = true
    configure(&configuration)
    let key = try Self.signingKey.get()
    try engine.write { group in
      try group.put(AccountKey.prefix(.signingKey, Text(key.id)), key.encoded())
    }
    accounts = try Accounts(engine: engine, configuration: configuration, passwords: pool)
  }

  deinit {
    if let directory {
      try? engine.close()
      try? FileManager.default.removeItem(atPath: directory)
    }
  }

  var project: ProjectAccounts { accounts.project("demo-brasa") }

  /// The accounts as a server that starts anew on the same data finds them.
  ///
  /// - Parameter other: Goes between the accounts and the data, if it is given.
  func reopened(on other: (any KeyValueEngine)? = nil) throws -> Accounts {
    try Accounts(
      engine: other ?? engine,
      configuration: accounts.configuration,
      passwords: accounts.passwords
    )
  }

  /// One pool for all tests: they run beside each other, and no later than everything else.
  static let pool = PasswordPool(threads: 2, capacity: 1_000, niceness: 0)

  private static let signingKey = Result {
    try SigningKey(bits: 2_048, createdAt: start / 1_000_000, lifetime: 60 * 86_400)
  }
}

extension RequestOrigin {
  /// Some client.
  static let somewhere = RequestOrigin.client(address: "203.0.113.7")
  /// Another client.
  static let elsewhere = RequestOrigin.client(address: "198.51.100.9")
}

/// A clock that moves when told to.
final class ManualClock: Sendable {
  private let time: Mutex<Int64>

  init(_ now: Int64) { time = Mutex(now) }

  func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000_000 } }

  var clock: MicrosecondClock { MicrosecondClock { self.time.withLock { $0 } } }

  var seconds: Int64 { time.withLock { $0 / 1_000_000 } }
}

extension SignInOutcome {
  /// The session of a sign-in that needed no second factor.
  var session: Session? {
    if case .signedIn(let session) = self { session } else { nil }
  }
}

/// Runs the body, which must throw an account error of that code.
func expect(
  _ code: AccountError.Code,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("nothing was thrown, not \(code.rawValue)", sourceLocation: sourceLocation)
  } catch let error as AccountError {
    #expect(error.code == code, "\(error.message)", sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
