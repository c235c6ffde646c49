import BaseText
import Testing

@testable import Authentication

/// Users from elsewhere.
struct ImportTests {
  /// The example of Firebase's own scrypt repository.
  private func firebaseUser() throws -> ImportedUser {
    var user = ImportedUser(uid: "old")
    user.email = "old@example.com"
    let parameters = FirebaseScrypt(
      signerKey: try #require(
        Base64.decode(
          "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
        )
      ),
      saltSeparator: [7]
    )
    user.password = PasswordHash(
      algorithm: .firebaseScrypt(parameters),
      salt: try #require(Base64.decode("42xEC+ixf3L2lw==")),
      hash: try #require(
        Base64.decode(
          "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
        )
      )
    )
    return user
  }

  @Test func `an imported user signs in, and his password is hashed as ours from then on`() throws {
    let project = try AccountsFixture().project
    #expect(try project.importUsers([try firebaseUser()]).isEmpty)
    expect(.invalidLoginCredentials) {
      _ = try project.signIn(email: "old@example.com", password: "wrong", from: .somewhere)
    }
    let before = try #require(try project.user("old")).password
    for _ in 0..<2 {
      let session = try project.signIn(
        email: "old@example.com",
        password: "user1password",
        from: .somewhere
      ).session
      #expect(session?.user.uid == "old")
    }
    let after = try #require(try project.user("old"))
    #expect(before != after.password)
    #expect(after.password?.algorithm == .own)
    // Hashing anew is no change of password: nothing ended.
    #expect(try project.user("old")?.session == after.session)
  }

  @Test func `what is wrong with one leaves the others alone`() throws {
    let project = try AccountsFixture().project
    _ = try project.create(NewUser(uid: "here", email: "here@example.com"))
    var badEmail = ImportedUser(uid: "bad")
    badEmail.email = "nonsense"
    var taken = ImportedUser(uid: "taken")
    taken.email = "HERE@example.com"
    var badHash = ImportedUser(uid: "hash")
    badHash.password = PasswordHash(
      algorithm: .pbkdf2(.sha256, rounds: 1_000_000),
      salt: [1],
      hash: [1]
    )
    var good = ImportedUser(uid: "good")
    good.email = "good@example.com"
    good.providers = [LinkedProvider(providerID: "google.com", rawID: "g")]
    let errors = try project.importUsers([
      badEmail, taken, badHash, good, ImportedUser(uid: ""), ImportedUser(uid: "here"),
    ])
    #expect(errors.map(\.index) == [0, 1, 2, 4])
    #expect(errors[0].message == "email is invalid")
    #expect(errors[1].message == "email exists in other account in database")
    #expect(errors[3].message == "localId is missing")
    #expect(try project.user(provider: "google.com", rawID: "g")?.uid == "good")
    // Overwritten, its address is free again.
    #expect(try project.user(email: "here@example.com") == nil)
  }

  @Test func `an account that could not be read is refused by itself`() throws {
    let project = try AccountsFixture().project
    var unreadable = ImportedUser(uid: "b")
    unreadable.email = "b@example.com"
    unreadable.refusal = AccountError(.invalidHash, "no hash")
    // Its address does not stand in the way of others of the import.
    var other = ImportedUser(uid: "c")
    other.email = "b@example.com"
    let errors = try project.importUsers([ImportedUser(uid: "a"), unreadable, other])
    #expect(errors.map(\.index) == [1] && errors[0].message == "INVALID_HASH_PARAMETER : no hash")
    #expect(try project.list().users.map(\.uid) == ["a", "c"])
  }

  @Test(arguments: [
    (PasswordAlgorithm.digest(.sha256, rounds: 1, order: .saltFirst), 31),
    (.hmac(.md5, key: [1], order: .passwordFirst), 17),
    (.scrypt(cost: 2, blockSize: 1, parallelization: 1, length: 64), 63),
    (.firebaseScrypt(.init(signerKey: [1, 2, 3], saltSeparator: [])), 4),
  ])
  func `a hash that the algorithm cannot have made is refused`(
    algorithm: PasswordAlgorithm,
    length: Int
  ) {
    let hash = PasswordHash(
      algorithm: algorithm,
      salt: [1],
      hash: [UInt8](repeating: 7, count: length)
    )
    expect(.invalidHash) { try hash.checkBounds() }
  }

  @Test func `an import that repeats itself is refused whole`() throws {
    let project = try AccountsFixture().project
    var first = ImportedUser(uid: "a")
    first.email = "x@example.com"
    var second = ImportedUser(uid: "b")
    second.email = "X@example.com"
    expect(.duplicateEmail) { _ = try project.importUsers([first, second]) }
    expect(.duplicateLocalID) { _ = try project.importUsers([first, first]) }
    let many = (0...1_000).map { ImportedUser(uid: "u\($0)") }
    #expect(throws: AccountError.self) { try project.importUsers(many) }
    #expect(try project.count() == 0)
  }

  @Test func `existing users can be kept`() throws {
    let project = try AccountsFixture().project
    _ = try project.create(NewUser(uid: "a", email: "kept@example.com"))
    let errors = try project.importUsers([ImportedUser(uid: "a")], keepsExisting: true)
    #expect(
      errors.map(\.message) == ["localId belongs to an existing account - can not overwrite."]
    )
    #expect(try project.user("a")?.email != nil)
  }
}
