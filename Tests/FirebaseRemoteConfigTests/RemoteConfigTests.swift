import FirebaseCore
import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseRemoteConfig

/// Values from the server, and what the app sees of them.
struct RemoteConfigTests {
  @Test func `the flag is false in Brazil at most a minute after it was published`() async throws {
    let fixture = try RemoteConfigFixture()
    let config = fixture.config
    config.setDefaults(["delete_list_view": true as NSNumber])
    config.configSettings.minimumFetchInterval = 60
    #expect(config["delete_list_view"].boolValue && config["delete_list_view"].source == .default)
    try await fixture.publishFlag(inBrazil: "true")
    #expect(try await config.fetchAndActivate() == .successFetchedFromRemote)
    #expect(config["delete_list_view"].boolValue && config["delete_list_view"].source == .remote)
    try await fixture.publishFlag()
    // Within the interval nothing is asked.
    #expect(try await config.fetchAndActivate() == .successUsingPreFetchedData)
    #expect(config["delete_list_view"].boolValue)
    fixture.clock.advance(by: 61)
    let next = fixture.restarted()
    next.configSettings.minimumFetchInterval = 60
    #expect(next["delete_list_view"].boolValue)
    #expect(try await next.fetchAndActivate() == .successFetchedFromRemote)
    #expect(!next["delete_list_view"].boolValue)
    #expect(next.lastFetchStatus == .success && next.lastFetchTime != nil)
  }

  @Test func `elsewhere it stays true`() async throws {
    let fixture = try RemoteConfigFixture(country: "PT")
    try await fixture.publishFlag()
    try await fixture.config.fetchAndActivate()
    #expect(fixture.config["delete_list_view"].boolValue)
  }

  @Test func `what is fetched is seen after its activation, also by the next run`() async throws {
    let fixture = try RemoteConfigFixture()
    try await fixture.publishFlag()
    #expect(fixture.config.lastFetchStatus == .noFetchYet)
    try await fixture.config.fetch()
    #expect(fixture.config["delete_list_view"].source == .static)
    let second = fixture.restarted()
    #expect(second["delete_list_view"].source == .static)
    #expect(try await second.activate())
    #expect(try await !second.activate())
    #expect(second["delete_list_view"].stringValue == "false")
    let third = fixture.restarted()
    #expect(third["delete_list_view"].stringValue == "false")
    #expect(third.allKeys(from: .remote) == ["delete_list_view"])
  }

  @Test func `nothing new is no new activation`() async throws {
    let fixture = try RemoteConfigFixture()
    try await fixture.publishFlag()
    fixture.config.configSettings.minimumFetchInterval = 0
    #expect(try await fixture.config.fetchAndActivate() == .successFetchedFromRemote)
    #expect(try await fixture.config.fetchAndActivate() == .successUsingPreFetchedData)
  }

  @Test func `listeners hear which keys a publish changes`() async throws {
    let fixture = try RemoteConfigFixture()
    try await fixture.publishFlag(inBrazil: "true")
    try await fixture.config.fetchAndActivate()
    var updates = fixture.config.configUpdates.makeAsyncIterator()
    try await fixture.publishFlag()
    let update = try await updates.next()
    #expect(update?.updatedKeys == ["delete_list_view"])
    #expect(fixture.config["delete_list_view"].boolValue)
    #expect(try await fixture.config.activate())
    #expect(!fixture.config["delete_list_view"].boolValue)
    // Others' values changed: this device is told nothing, and then of the next change.
    try await fixture.publishFlag(others: "maybe")
    try await fixture.publishFlag(inBrazil: "yes")
    #expect(try await updates.next()?.updatedKeys == ["delete_list_view"])
    #expect(await fixture.app.delete())
  }

  @Test func `the user's properties and first open decide`() async throws {
    let fixture = try RemoteConfigFixture()
    try await fixture.publish(
      """
      {"conditions": [
         {"name": "gold", "expression": "app.userProperty['plan'].exactlyMatches(['gold'])"},
         {"name": "early", "expression": "app.firstOpenTimestamp <= ('2026-01-01T00:00:00')"}],
       "parameters": {"plan": {"defaultValue": {"value": "none"},
                               "conditionalValues": {"gold": {"value": "gold"}}},
                      "guest": {"defaultValue": {"value": "late"},
                                "conditionalValues": {"early": {"value": "early"}}}}}
      """
    )
    try await fixture.config.fetchAndActivate()
    #expect(fixture.config["plan"].stringValue == "none")
    #expect(fixture.config["guest"].stringValue == "late")
    let user = AppUserProperties(
      ["plan": "gold"],
      firstOpenTime: Date(timeIntervalSince1970: 1_767_225_599)
    )
    let known = fixture.config(knowing: user)
    try await known.fetchAndActivate()
    #expect(known["plan"].stringValue == "gold")
    #expect(known["guest"].stringValue == "early")
  }

  @Test func `a variant is logged when it is activated first`() async throws {
    let fixture = try RemoteConfigFixture()
    let log = EventNames()
    func publish(_ id: String) async throws {
      try await fixture.publish(
        """
        {"parameters": {"k": {"defaultValue": {"experimentValue": {"experimentId": "\(id)", "exposurePercent": 100,
          "variantValue": [{"variantId": "a", "value": "a"}, {"variantId": "b", "value": "b"}]}}}}}
        """
      )
    }
    try await publish("cart")
    let config = fixture.config(logging: log.add)
    config.configSettings.minimumFetchInterval = 0
    try await config.fetch()
    #expect(log.all == [])
    try await config.activate()
    let first = "experiment_exposure cart \(config["k"].stringValue)"
    #expect(log.all == [first])
    try await config.fetchAndActivate()
    let restarted = fixture.config(logging: log.add)
    restarted.configSettings.minimumFetchInterval = 0
    try await restarted.fetchAndActivate()
    #expect(log.all == [first])
    try await publish("list")
    try await restarted.fetchAndActivate()
    let second = "experiment_exposure list \(restarted["k"].stringValue)"
    #expect(log.all == [first, second])
  }

  @Test func `custom signals decide with the next fetch`() async throws {
    let fixture = try RemoteConfigFixture()
    try await fixture.publish(
      """
      {"conditions": [{"name": "near", "expression": "app.customSignal['km'] < 5"}],
       "parameters": {"k": {"defaultValue": {"value": "far"},
                      "conditionalValues": {"near": {"value": "near"}}}}}
      """
    )
    fixture.config.configSettings.minimumFetchInterval = 0
    try await fixture.config.setCustomSignals(["km": 4.5, "city": "São Paulo"])
    try await fixture.config.fetchAndActivate()
    #expect(fixture.config["k"].stringValue == "near")
    try await fixture.config.setCustomSignals(["km": nil])
    try await fixture.config.fetchAndActivate()
    #expect(fixture.config["k"].stringValue == "far")
    let long = String(repeating: "x", count: 501)
    await #expect(throws: RemoteConfigCustomSignalsError.self) {
      try await fixture.config.setCustomSignals(["a": .string(long)])
    }
  }

  @Test func `a server that cannot be reached is an error, and what was there stays`() async throws
  {
    let fixture = try RemoteConfigFixture()
    try await fixture.publishFlag()
    try await fixture.config.fetchAndActivate()
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = (fixture.project, fixture.project)
    options.brasaHost = "http://127.0.0.1:1"
    let app = try FirebaseApp.configured(name: "\(fixture.project)-2", options: options)
    let config = RemoteConfig(
      app: app,
      store: fixture.store,
      installations: .init(app: app, store: MemoryStateStore())
    )
    config.configSettings.minimumFetchInterval = 0
    let error = await #expect(throws: RemoteConfigError.self) { try await config.fetch() }
    #expect(error?.code == .internalError)
    #expect((error as NSError?)?.domain == "com.google.remoteconfig.ErrorDomain")
    #expect(config.lastFetchStatus == .failure)
    #expect(config["delete_list_view"].stringValue == "false")
  }

  /// A server that knows every installation and sends those that ask for parameters elsewhere.
  private static func redirectingServer(to port: Int) throws -> AnsweringServer {
    let token = #"{"token": "t", "expiresIn": "604800s"}"#
    let installation =
      #"{"fid": "cAAAAAAAAAAAAAAAAAAAAA", "refreshToken": "r", "authToken": \#(token)}"#
    return try AnsweringServer { request in
      if request.line.contains("/installations") {
        return AnsweringServer.Answer(200, body: installation)
      }
      let location = (name: "Location", value: "http://127.0.0.1:\(port)/elsewhere")
      return AnsweringServer.Answer(307, [location])
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a redirect is not followed`() async throws {
    let target = try AnsweringServer.accepting()
    defer { target.stop() }
    let server = try Self.redirectingServer(to: target.port)
    defer { server.stop() }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("redirected", "redirected")
    options.brasaHost = server.url
    let app = try FirebaseApp.configured(name: "redirected-parameters", options: options)
    let config = RemoteConfig(
      app: app,
      store: MemoryStateStore(),
      installations: .init(app: app, store: MemoryStateStore())
    )
    let error = await #expect(throws: RemoteConfigError.self) { try await config.fetch() }
    #expect(error?.code == .internalError && config.lastFetchStatus == .failure)
    #expect(server.requests.last?.line.contains("firebase:fetch") == true)
    #expect(target.requests.isEmpty)
    _ = await app.delete()
  }

  @Test(.timeLimit(.minutes(10)))
  func `a fetch whose connection breaks ends with values or an error`() async throws {
    let proxy = try CuttingProxy(to: BrasaServer.shared.get().port) { 300 + 80 * $0 }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("cut-parameters", "cut-parameters")
    options.brasaHost = "http://127.0.0.1:\(proxy.port)"
    let app = try FirebaseApp.configured(name: "cut-parameters", options: options)
    let config = RemoteConfig(
      app: app,
      store: MemoryStateStore(),
      installations: .init(app: app, store: MemoryStateStore())
    )
    var valueCount = 0
    while proxy.cutCount < 40 {
      do {
        if try await config.fetch(withExpirationDuration: 0) == .success { valueCount += 1 }
      } catch let error as RemoteConfigError {
        #expect(error.code == .internalError)
      }
    }
    #expect(valueCount > 0)
    proxy.stop()
    _ = await app.delete()
  }
}
