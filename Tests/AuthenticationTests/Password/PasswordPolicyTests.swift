import Testing

@testable import Authentication

/// The policy of a project for passwords, and the callers that it holds for.
struct PasswordPolicyTests {
  private let fixture: AccountsFixture
  private var project: ProjectAccounts { fixture.project }

  init() throws { fixture = try AccountsFixture() }

  @Test func `six characters are enough, common ones too, as with Firebase`() throws {
    let session = try project.signUp(email: "a@b.example", password: "123456", from: .somewhere)
    #expect(session.user.password != nil)
    expect(.weakPassword) {
      _ = try project.signUp(email: "c@b.example", password: "12345", from: .somewhere)
    }
  }

  @Test func `a project's policy holds for users and not for administrators`() throws {
    try project.configure {
      $0.passwordPolicy.minimumLength = 10
      $0.passwordPolicy.requiresDigit = true
      $0.passwordPolicy.refusesCommon = true
    }
    for weak in ["password", "password123"] {
      expect(.weakPassword) {
        _ = try project.signUp(email: "a@b.example", password: weak, from: .somewhere)
      }
    }
    expect(.passwordDoesNotMeetRequirements) {
      _ = try project.signUp(email: "a@b.example", password: "without a figure", from: .somewhere)
    }
    let made = try project.create(NewUser(email: "b@b.example", password: "password"))
    var update = UserUpdate()
    update.password = .set("qwerty")
    #expect(try project.update(made.uid, update).password != made.password)
    var imported = ImportedUser(uid: "c")
    imported.rawPassword = "123456"
    #expect(try project.importUsers([imported]).isEmpty)
    expect(.weakPassword) {
      _ = try project.create(NewUser(email: "d@b.example", password: "12345"))
    }
  }
}
