import FirebaseAuth
import FirebaseCore
import Foundation
import Testing

/// Sessions that programs of one person share.
struct AccessGroupTests {
  @Test func `a group's session is another one than the program's`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    let own = try await fixture.signUp()
    try auth.useUserAccessGroup("group.shop")
    #expect(auth.userAccessGroup == "group.shop" && auth.currentUser == nil)
    let shared = try await fixture.signUp("bia@example.com")
    #expect(try auth.getStoredUser(forAccessGroup: nil)?.uid == own.uid)
    try auth.useUserAccessGroup(nil)
    #expect(auth.userAccessGroup == nil && auth.currentUser?.uid == own.uid)
    #expect(try auth.getStoredUser(forAccessGroup: "group.shop")?.uid == shared.uid)
    #expect(try auth.getStoredUser(forAccessGroup: "group.other") == nil)
  }

  @Test func `another program of the group has the session`() async throws {
    let fixture = try await AuthFixture()
    try fixture.auth.useUserAccessGroup("group.shop")
    let user = try await fixture.signUp()
    let other = Auth(app: fixture.app, store: MemorySessionStore())
    #expect(other.currentUser == nil)
    try other.useUserAccessGroup("group.shop")
    #expect(other.currentUser?.uid == user.uid)
    try await other.currentUser?.reload()
    #expect(other.currentUser?.email == AuthFixture.email)
    try other.signOut()
    #expect(try fixture.auth.getStoredUser(forAccessGroup: "group.shop") == nil)
  }

  @Test func `a listener is told who is signed in to the group`() async throws {
    let fixture = try await AuthFixture()
    let own = try await fixture.signUp()
    var changes = fixture.auth.authStateChanges.makeAsyncIterator()
    #expect(try await changes.next()??.uid == own.uid)
    try fixture.auth.useUserAccessGroup("group.shop")
    let told = try await changes.next()
    #expect(told != nil && told == .some(nil))
  }
}
