import FirebaseAuth
import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseMessaging

/// Tests of the user to whom a registration belongs.
@Suite(.timeLimit(.minutes(10)))
struct RegisteredUserTests {
  private static func send(_ fixture: MessagingFixture, to uid: String) async throws -> String {
    let answer = try await fixture.post(
      "v1/projects/\(fixture.project)/messages:sendToUser",
      #"{"uid": "\#(uid)", "message": {"data": {"k": "v"}}}"#,
      authorization: "Bearer owner"
    )
    let name = answer["name"] as? String ?? ""
    return String(name.split(separator: "/").last ?? "")
  }

  private static func wait(_ messaging: Messaging, for uid: String?) async {
    while !Task.isCancelled, messaging.kept.registeredUserID != uid { await Task.yield() }
  }

  @Test func `messages to a user arrive while the user is signed in`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    try await fixture.makeProject()
    let auth = Auth.auth(app: fixture.app)
    let messaging = fixture.messaging()
    var sequence = messaging.messages.makeAsyncIterator()
    let token = try await messaging.token()
    let email = "ana@example.org"
    let uid = try await auth.createUser(withEmail: email, password: "secret-1").user.uid
    await Self.wait(messaging, for: uid)
    let id = try await Self.send(fixture, to: uid)
    #expect(await sequence.next()?.messageID == id)
    try auth.signOut()
    await Self.wait(messaging, for: nil)
    await #expect(throws: MessagingFixture.Refused.self) { try await Self.send(fixture, to: uid) }
    _ = try await auth.signIn(withEmail: email, password: "secret-1")
    await Self.wait(messaging, for: uid)
    let again = try await Self.send(fixture, to: uid)
    #expect(await sequence.next()?.messageID == again)
    #expect(messaging.fcmToken == token)
  }
}
