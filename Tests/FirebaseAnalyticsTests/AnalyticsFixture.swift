import FirebaseInstallations
import Foundation
import SDKTestSupport
import Synchronization

@testable import FirebaseAnalytics

/// An app of a project of its own, with a clock that tests move and no real waits.
final class AnalyticsFixture: Sendable {
  let app: FirebaseApp
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("events-\(UUID().uuidString)")
  let clock: TestClock
  private let collectors = Mutex<[EventCollector]>([])
  var log: URL { folder.appendingPathComponent("events") }

  init(server url: String = "http://127.0.0.1:1", startingAt start: Double = 1_790_000_000) throws {
    clock = TestClock(start)
    let name = "a-\(UUID().uuidString.lowercased())"
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = (name, name)
    options.brasaHost = url
    options.stateDirectory = folder
    app = try FirebaseApp.configured(name: name, options: options)
  }

  /// Makes the collector of the app's events, as one run of the program has it.
  func collector(
    tellsLifecycle: Bool = false,
    arguments: [String] = [],
    isOnline: Bool = true
  ) -> EventCollector {
    let collector = EventCollector(
      app: app,
      installations: .installations(app: app),
      log: log,
      surroundings: .init(
        tellsLifecycle: tellsLifecycle,
        now: clock.now,
        sleep: isOnline ? Self.noWait : Self.forever,
        arguments: arguments
      )
    )
    collectors.withLock { $0.append(collector) }
    return collector
  }

  @Sendable
  private static func noWait(_ seconds: TimeInterval) async throws {
    try Task.checkCancellation()
    await Task.yield()
  }

  /// A wait that only its cancellation ends: nothing is ever sent.
  @Sendable
  private static func forever(_ seconds: TimeInterval) async throws {
    try await Task.sleep(for: .seconds(1_000_000_000))
  }

  /// Ends what sends events and removes their file.
  func remove() {
    for collector in collectors.withLock({ $0 }) { collector.appWasDeleted() }
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      // The system clears its folder of temporary files.
    }
  }
}

extension EventCollector {
  /// The events that wait.
  var waitingEvents: [LoggedEvent] {
    update { editor, _ in editor.contents.waiting.map(\.event) } ?? []
  }

  /// The names of the events that wait.
  var waitingNames: [String] { waitingEvents.map(\.name) }
}

/// A clock that stands until tests move it.
final class TestClock: Sendable {
  private let seconds: Mutex<Double>

  init(_ start: Double) { seconds = Mutex(start) }

  var now: @Sendable () -> Date {
    { [self] in Date(timeIntervalSince1970: seconds.withLock { $0 }) }
  }

  var micros: Int64 { Int64(seconds.withLock { $0 } * 1_000_000) }

  func advance(by step: Double) { seconds.withLock { $0 += step } }
}
