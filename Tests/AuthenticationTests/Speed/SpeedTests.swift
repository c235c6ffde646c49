import BaseText
import Testing

@testable import Authentication

/// Bounds that hold for release builds; debug builds only run the code and print.
struct SpeedTests {
  @Test func `a known token is checked within a microsecond, a new one within a hundred`() throws {
    let fixture = try AccountsFixture(.rocksDB)
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    let tokens = BearerTokens(fixture.accounts)
    let text = Substring(session.idToken)
    _ = try tokens.bearer(text)
    let warm = try best(batches: 40, of: 1_000) { _ = try tokens.bearer(text) }
    print("a known token:", warm)
    let cold = try best(batches: 40, of: 10) {
      _ = try BearerTokens(fixture.accounts).bearer(text)
    }
    print("a token at first sight:", cold)
    let valid = best(batches: 40, of: 1_000) {
      _ = tokens.isValid(
        .project("demo-brasa"),
        session.user.uid,
        session: session.user.session,
        expiry: .max
      )
    }
    print("whether a token is still valid:", valid)
    #if !DEBUG
    #expect(warm < .microseconds(1))
    #expect(cold < .microseconds(100))
    #endif
  }

  @Test func `a user among very many is found like any key`() throws {
    let fixture = try AccountsFixture(.rocksDB)
    let project = fixture.project
    #if DEBUG
    let count = 5_000
    #else
    let count = 100_000
    #endif
    for start in stride(from: 0, to: count, by: 1_000) {
      _ = try project.importUsers(
        (start..<start + 1_000).map { number in
          var user = ImportedUser(uid: "user-\(number)")
          user.email = "person\(number)@example.com"
          user.displayName = "Person \(number)"
          return user
        }
      )
    }
    var number = 0
    func next() -> Int {
      number = (number + 7_919) % count
      return number
    }
    let key = try best(batches: 20, of: 500) {
      _ = try fixture.engine.get(
        AccountKey.user(.project("demo-brasa"), Text("user-\(next())")),
        cachedOnly: false
      )
    }
    let byUID = try best(batches: 20, of: 500) {
      guard try project.user(Text("user-\(next())")) != nil else {
        throw AccountError(.userNotFound)
      }
    }
    let byEmail = try best(batches: 20, of: 500) {
      guard try project.user(email: "Person\(next())@example.com") != nil else {
        throw AccountError(.userNotFound)
      }
    }
    print("among \(count) users: a key \(key), by uid \(byUID), by e-mail \(byEmail)")
    #if !DEBUG
    #expect(byUID < key * 3 + .microseconds(5))
    #expect(byEmail < key * 5 + .microseconds(10))
    #endif
  }

  @Test func `what the pool cannot take is refused, and what it took is done`() async throws {
    let pool = PasswordPool(threads: 1, capacity: 4)
    let hasher = PasswordHasher(
      own: FirebaseScrypt(signerKey: [1], saltSeparator: [7], memoryCost: 10)
    )
    let refused = await Concurrently.count(50) { _ in
      do {
        _ = try pool.run { try hasher.waste("some password") }
        return false
      } catch let error as AccountError {
        return error.code == .tooManyAttempts
      }
    }
    #expect((1...45).contains(refused))
    #expect(pool.load == 0)
    _ = try pool.run { try hasher.waste("some password") }
  }

  /// The best of many batches: other tests run at the same time.
  private func best(batches: Int, of count: Int, _ body: () throws -> Void) rethrows -> Duration {
    var best = Duration.seconds(1_000)
    for _ in 0..<batches {
      let time = try ContinuousClock().measure { for _ in 0..<count { try body() } }
      best = min(best, time / count)
    }
    return best
  }
}
