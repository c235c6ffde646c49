import FirebaseInstallations
import Foundation
import SDKTestSupport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import FirebaseMessaging

/// An app of a project of its own on the tests' server, and the back end that sends to it.
final class MessagingFixture: Sendable {
  let project = "m-\(UUID().uuidString.lowercased())"
  let app: FirebaseApp
  let store = MemoryStateStore()
  private let installations: Installations
  private let server: String
  private let made = Mutex<[Messaging]>([])

  /// An app that reaches the server by `port`, or directly.
  init(port: Int? = nil, bundleID: String = "org.example.shop") throws {
    server = try BrasaServer.shared.get().url
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = (project, project)
    options.bundleID = bundleID
    options.stateDirectory = FileManager.default.temporaryDirectory.appendingPathComponent(project)
    options.brasaHost = port.map { "http://127.0.0.1:\($0)" } ?? server
    app = try FirebaseApp.configured(name: project, options: options)
    installations = Installations(app: app, store: MemoryStateStore())
  }

  /// The app's messages, as one run of the program has them.
  func messaging(usesApple: Bool = false, usesInstallationID: Bool = false) -> Messaging {
    let messaging = Messaging(
      app: app,
      store: store,
      installations: installations,
      usesApple: usesApple,
      usesInstallationID: usesInstallationID,
      sleep: Self.wait
    )
    messaging.callbackQueue = DispatchQueue(label: "callbacks")
    made.withLock { $0.append(messaging) }
    return messaging
  }

  /// Waits after failures are none; those between pings end with their stream.
  @Sendable
  private static func wait(_ seconds: TimeInterval) async throws {
    try await Task.sleep(for: .seconds(seconds < 55 ? 0 : 1_000_000_000))
  }

  /// Ends what listens.
  func end() {
    for messaging in made.withLock({ $0 }) { messaging.appWasDeleted() }
  }

  /// Sends a message as a back end; returns its id.
  func send(_ message: String) async throws -> String {
    let path = "v1/projects/\(project)/messages:send"
    let answer = try await post(path, "{\"message\": \(message)}", authorization: "Bearer owner")
    let name = answer["name"] as? String ?? ""
    return String(name.split(separator: "/").last ?? "")
  }

  /// Makes the project known: development takes a key for a project's only if there is that project.
  func makeProject() async throws {
    let path = "emulator/v1/projects/\(project)/config"
    _ = try await post(path, "{}", authorization: "Bearer owner", method: "PATCH")
  }

  /// Does a request of a back end.
  func post(
    _ path: String,
    _ body: String,
    authorization: String,
    method: String = "POST"
  ) async throws -> [String: Any] {
    guard let url = URL(string: "\(server)/\(path)") else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = Data(body.utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(authorization, forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200,
      let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { throw Refused(text: String(decoding: data, as: UTF8.self)) }
    return answer
  }

  /// The server did not do what a back end asked.
  struct Refused: Error {
    let text: String
  }
}

/// State in memory.
final class MemoryStateStore: StateStore {
  private let state = Mutex<Data?>(nil)

  func read() throws -> Data? { state.withLock { $0 } }

  func update(_ change: (Data?) throws -> Data?) throws {
    try state.withLock { $0 = try change($0) }
  }
}

/// Keeps what a delegate hears.
final class Listener: MessagingDelegate, Sendable {
  private let continuations:
    (
      tokens: AsyncStream<String?>.Continuation,
      messages: AsyncStream<[String: String]>.Continuation,
      registrations: AsyncStream<String>.Continuation
    )
  let tokens: AsyncStream<String?>
  /// Messages with the members that are texts.
  let messages: AsyncStream<[String: String]>
  /// Ids of installations, those that are registered no more behind a minus.
  let registrations: AsyncStream<String>

  init() {
    let (tokens, tokenFeed) = AsyncStream.makeStream(of: String?.self)
    let (messages, messageFeed) = AsyncStream.makeStream(of: [String: String].self)
    let (registrations, registrationFeed) = AsyncStream.makeStream(of: String.self)
    (self.tokens, self.messages, self.registrations) = (tokens, messages, registrations)
    continuations = (tokenFeed, messageFeed, registrationFeed)
  }

  func messaging(_ messaging: Messaging, didReceiveRegistrationToken fcmToken: String?) {
    continuations.tokens.yield(fcmToken)
  }

  func messaging(_ messaging: Messaging, didReceiveRegistration installationID: String?) {
    continuations.registrations.yield(installationID ?? "")
  }

  func messaging(_ messaging: Messaging, didUnregister installationID: String) {
    continuations.registrations.yield("-\(installationID)")
  }

  func messaging(_ messaging: Messaging, didReceiveMessage userInfo: [AnyHashable: Any]) {
    var texts: [String: String] = [:]
    for (name, value) in userInfo {
      if let name = name as? String, let value = value as? String { texts[name] = value }
    }
    continuations.messages.yield(texts)
  }
}
