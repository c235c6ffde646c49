import FirebaseInstallations
import Foundation
import Testing

@testable import FirebaseMessaging

/// Registration by the installation's id, and what belongs to a bundle alone.
@Suite(.timeLimit(.minutes(10)))
struct InstallationTests {
  @Test func `an installation is registered, reached by its id and registered no more`()
    async throws
  {
    let fixture = try MessagingFixture()
    let messaging = fixture.messaging(usesInstallationID: true)
    let listener = Listener()
    messaging.delegate = listener
    #expect(messaging.isInstallationIdEnabled)
    try await messaging.register()
    let id = try #require(messaging.kept.installationID)
    var registrations = listener.registrations.makeAsyncIterator()
    #expect(await registrations.next() == id)
    _ = try await fixture.send(#"{"fid": "\#(id)", "data": {"n": "1"}}"#)
    #expect(await listener.messages.first { _ in true }?["n"] == "1")
    try await messaging.unregister()
    #expect(await registrations.next() == "-\(id)")
    #expect(messaging.fcmToken == nil)
    fixture.end()
  }

  @Test func `the delegate is told of a token where the app does not ask for ids`() async throws {
    let fixture = try MessagingFixture()
    let messaging = fixture.messaging()
    let listener = Listener()
    messaging.delegate = listener
    #expect(!messaging.isInstallationIdEnabled)
    try await messaging.register()
    #expect(await listener.tokens.first { _ in true } == messaging.fcmToken)
    fixture.end()
  }

  @Test func `a token of Apple needs a bundle, which the SDK says itself`() async throws {
    let fixture = try MessagingFixture(bundleID: "")
    let messaging = fixture.messaging()
    messaging.isAutoInitEnabled = false
    messaging.apnsToken = Data([1, 2])
    let error = await #expect(throws: NSError.self) { try await messaging.token() }
    #expect(error?.domain == MessagingErrorDomain)
    #expect(error?.code == MessagingError.invalidRequest.rawValue)
    #expect(error?.localizedDescription.contains("FirebaseOptions.bundleID") == true)
    fixture.end()
  }
}
