import FirebaseCore
import Foundation
import Testing

/// Apps by name, and what configuring refuses.
struct FirebaseAppTests {
  private static let options = FirebaseOptions(
    googleAppID: "1:42:ios:abc123",
    gcmSenderID: "42"
  )

  private func name() -> String { "app-\(UUID().uuidString)" }

  private func refusal(_ name: String, _ options: FirebaseOptions) -> FirebaseAppError? {
    do throws(FirebaseAppError) {
      try FirebaseApp.configured(name: name, options: options)
      return nil
    } catch { return error }
  }

  @Test func `an app is found by its name until it is deleted`() async {
    let name = name()
    #expect(FirebaseApp.app(name: name) == nil)
    FirebaseApp.configure(name: name, options: Self.options)
    let app = FirebaseApp.app(name: name)
    #expect(app?.name == name)
    #expect(FirebaseApp.allApps?[name] === app)
    #expect(await app?.delete() == true)
    #expect(FirebaseApp.app(name: name) == nil)
    #expect(await app?.delete() == false)
  }

  @Test(.timeLimit(.minutes(10)))
  func `the end of a removal is told on the main queue`() async throws {
    let app = try FirebaseApp.configured(name: name(), options: Self.options)
    let isMain = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: isMain, value: true)
    let wasThere = await withCheckedContinuation { continuation in
      app.delete { wasThere in
        continuation.resume(
          returning: wasThere && DispatchQueue.getSpecific(key: isMain) == true
        )
      }
    }
    #expect(wasThere)
  }

  @Test func `a name is taken once`() {
    let name = name()
    #expect(refusal(name, Self.options) == nil)
    let second = refusal(name, Self.options)
    #expect(second?.code == .alreadyConfigured)
    #expect(second?.message == "App named \(name) has already been configured.")
    #expect((second as NSError?)?.domain == "com.firebase.core")
    #expect((second as NSError?)?.code == 2)
  }

  @Test(arguments: ["", "my app", "ação", "a/b"])
  func `names with other characters are refused`(name: String) {
    #expect(refusal(name, Self.options)?.code == .invalidName)
  }

  @Test(arguments: [
    ("1:42:ios:abc123", true), ("1:42:linux:0", true), ("1:42:android:00ff", true),
    ("2:whatever", true), ("1:42:ios", false), ("1:x:ios:abc", false), ("1:42:ios:xyz", false),
    ("1:42::abc", false), ("", false), ("ios", false),
  ])
  func `an app id must look like one`(id: String, isValid: Bool) {
    let options = FirebaseOptions(googleAppID: id, gcmSenderID: "42")
    #expect((refusal(name(), options)?.code == .invalidOptions) == !isValid)
  }

  @Test func `an error is cast to an object and back`() {
    let error: (any Error)? = refusal("a b", Self.options)
    let object = error as? NSError
    #expect(object?.domain == "com.firebase.core" && object?.code == 1)
    #expect((object as (any Error)? as? FirebaseAppError)?.code == .invalidName)
    #expect(NSError(domain: "x", code: 1) as (any Error) as? FirebaseAppError == nil)
  }

  @Test func `an app keeps a copy of its options`() throws {
    let options = FirebaseOptions(googleAppID: "1:42:ios:abc123", gcmSenderID: "42")
    options.projectID = "before"
    let app = try FirebaseApp.configured(name: name(), options: options)
    options.projectID = "after"
    #expect(app.options.projectID == "before")
    let copy = try #require(app.options.copy() as? FirebaseOptions)
    #expect(copy == app.options && copy.hash == app.options.hash)
    copy.projectID = "own"
    #expect(copy.projectID == "own" && copy != app.options)
  }

  @Test func `editing an app's options traps`() async {
    await #expect(processExitsWith: .failure) {
      let options = FirebaseOptions(googleAppID: "1:42:ios:abc123", gcmSenderID: "42")
      let app = try FirebaseApp.configured(name: "locked", options: options)
      app.options.apiKey = "another"
    }
  }

  @Test func `the level of the log can be set`() {
    let before = FirebaseConfiguration.shared.loggerLevel()
    FirebaseConfiguration.shared.setLoggerLevel(.debug)
    #expect(FirebaseConfiguration.shared.loggerLevel() == .debug)
    FirebaseConfiguration.shared.setLoggerLevel(before)
    #expect(FirebaseLoggerLevel.min == .error && FirebaseLoggerLevel.max == .debug)
    #expect(FirebaseLoggerLevel.notice.rawValue == 5)
  }
}
