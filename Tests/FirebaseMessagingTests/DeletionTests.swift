import FirebaseInstallations
import Foundation
import Testing

@testable import FirebaseMessaging

/// Tests of changes of topics that never reach the server.
@Suite(.timeLimit(.minutes(10)))
struct DeletionTests {
  @Test func `deleting the data ends who waits for a topic`() async throws {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("gone", "gone")
    // Nobody listens there.
    options.brasaHost = "http://127.0.0.1:1"
    let name = "gone-\(UUID().uuidString)"
    let app = try FirebaseApp.configured(name: name, options: options)
    let (waits, wait) = AsyncStream.makeStream(of: Void.self)
    let messaging = Messaging(
      app: app,
      store: MemoryStateStore(),
      installations: Installations(app: app, store: MemoryStateStore()),
      usesApple: true,
      sleep: { _ in
        wait.yield()
        try await Task.sleep(for: .seconds(1_000_000_000))
      }
    )
    let subscription = Task { try await messaging.subscribe(toTopic: "news") }
    for await _ in waits { break }
    try await messaging.deleteData()
    await #expect(throws: MessagingError.self) { try await subscription.value }
    #expect(messaging.kept.topicChanges.isEmpty && messaging.kept.nextChange == 2)
    messaging.appWasDeleted()
  }

  @Test func `errors are caught by their codes`() async throws {
    do {
      _ = try TopicName.checked("a b")
      Issue.record("It is no name.")
    } catch MessagingError.invalidTopicName {
      #expect(!(MessagingError.network ~= MessagingError(.timeout)))
    }
    let error = MessagingError(.noAccess, userInfo: ["reason": "x"]) as NSError
    #expect(error.domain == MessagingErrorDomain && error.code == 2)
    #expect(error.userInfo["reason"] as? String == "x")
    #expect(MessagingError.noAccess ~= error)
  }
}
