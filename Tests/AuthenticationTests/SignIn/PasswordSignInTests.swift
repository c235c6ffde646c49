import BaseText
import Foundation
import Synchronization
import Testing

@testable import Authentication

/// Signing up and in with e-mail and password.
struct PasswordSignInTests {
  private static let password = "korrekt pferd batterie"

  @Test(arguments: EngineKind.allCases)
  func `who signed up signs in, in any spelling of the address`(kind: EngineKind) throws {
    let fixture = try AccountsFixture(kind)
    let project = fixture.project
    let up = try project.signUp(
      email: "Ana@Example.com",
      password: Self.password,
      from: .somewhere
    )
    #expect(up.isNewUser)
    #expect(up.user.email?.string == "ana@example.com")
    let again = try project.signIn(
      email: "ANA@example.COM",
      password: Self.password,
      from: .somewhere
    ).session
    let session = try #require(again)
    #expect(session.user.uid == up.user.uid)
    #expect(!session.isNewUser)
    let (user, token) = try project.signedIn(session.idToken)
    #expect(user.uid == up.user.uid)
    #expect(token.signIn.provider == "password")
    #expect(try fixture.accounts.refresh(session.refreshToken).user.uid == up.user.uid)
  }

  @Test func `a wrong password and an unknown address look alike`() throws {
    let project = try AccountsFixture().project
    _ = try project.signUp(email: "a@b.example", password: Self.password, from: .somewhere)
    expect(.invalidLoginCredentials) {
      _ = try project.signIn(email: "a@b.example", password: "something else", from: .somewhere)
    }
    expect(.invalidLoginCredentials) {
      _ = try project.signIn(email: "c@b.example", password: Self.password, from: .somewhere)
    }
    try project.configure { $0.hidesAccounts = false }
    expect(.invalidPassword) {
      _ = try project.signIn(email: "a@b.example", password: "something else", from: .somewhere)
    }
    expect(.emailNotFound) {
      _ = try project.signIn(email: "c@b.example", password: Self.password, from: .somewhere)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `races: 100 parallel sign-ups of one e-mail make one user`(kind: EngineKind) async throws {
    let fixture = try AccountsFixture(kind) { $0.limits = .unlimited }
    let hash = try fixture.project.newHash(Self.password)
    let made = await Concurrently.count(100) { index in
      var user = User(uid: Text("user\(index)"), at: AccountsFixture.start)
      user.email = EmailAddress(index % 2 == 0 ? "one@example.com" : "ONE@Example.Com")
      user.password = hash
      let prepared = user
      do {
        _ = try fixture.project.establishNew(prepared, by: "password")
        return true
      } catch let error as AccountError where error.code == .emailExists {
        return false
      }
    }
    #expect(made == 1)
    #expect(try fixture.project.count() == 1)
  }

  @Test func `races: 100 parallel wrong passwords count as 100`() async throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    _ = try project.signUp(email: "a@b.example", password: Self.password, from: .elsewhere)
    let tried = Mutex(0)
    let refused = await Concurrently.count(100) { _ in
      do {
        _ = try project.signIn(email: "a@b.example", password: "not it at all", from: .somewhere)
        return false
      } catch let error as AccountError {
        if error.code == .invalidLoginCredentials { tried.withLock { $0 += 1 } }
        return error.code == .tooManyAttempts
      }
    }
    #expect(tried.withLock { $0 } == 10)
    #expect(refused == 90)
    // Not even the right one goes through from there, and it does from elsewhere: nobody is locked out.
    expect(.tooManyAttempts) {
      _ = try project.signIn(email: "a@b.example", password: Self.password, from: .somewhere)
    }
    let owner = try project.signIn(
      email: "a@b.example",
      password: Self.password,
      from: .elsewhere
    )
    #expect(owner.session != nil)
  }
}

/// Runs many at once on threads of their own.
enum Concurrently {
  /// Returns how many of `count` runs return true; a throw is a failure of the test.
  static func count(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Bool) async -> Int {
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread {
              do {
                continuation.resume(returning: try body(index))
              } catch {
                Issue.record(error)
                continuation.resume(returning: false)
              }
            }.start()
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }
}
