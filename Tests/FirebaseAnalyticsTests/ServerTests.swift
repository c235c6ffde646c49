import FirebaseInstallations
import Foundation
import SDKTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import FirebaseAnalytics

/// Events on their way to the server itself.
struct ServerTests {
  private static let events: [(name: String, item: String?)] = [
    ("select_item", "SKU_1"), ("new_item", nil), ("attempt_delete_product", "SKU_2"),
  ]

  /// Returns an administrator's report on a project's events.
  private static func report(_ path: String, of project: String) async throws -> [String: Any] {
    let server = try BrasaServer.shared.get().url
    let url = try #require(URL(string: "\(server)/v1/projects/\(project)/analytics/\(path)"))
    var request = URLRequest(url: url)
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    let (data, _) = try await URLSession.shared.data(for: request)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Events of the last minutes by name.
  private static func counts(of project: String) async throws -> [String: Int] {
    let minutes = try await report("live", of: project)["minutes"] as? [[String: Any]] ?? []
    return minutes.reduce(into: [:]) { counts, minute in
      counts.merge(minute["events"] as? [String: Int] ?? [:], uniquingKeysWith: +)
    }
  }

  @Test func `events of an app that was offline are there once, at their true times`() async throws
  {
    let server = try BrasaServer.shared.get()
    let proxy = try CuttingProxy(to: server.port) { $0 < 12 ? 300 + 130 * $0 : nil }
    let fixture = try AnalyticsFixture(
      server: "http://127.0.0.1:\(proxy.port)",
      startingAt: Date().timeIntervalSince1970.rounded(.down) - 600
    )
    defer { fixture.remove() }
    let offline = fixture.collector(
      arguments: ["-FIRAnalyticsDebugEnabled"],
      isOnline: false
    )
    offline.start(on: EventDevice(platform: "LINUX", appVersion: "1.0"))
    offline.appWasDeleted()
    var times: [String: Int64] = [:]
    for (name, item) in Self.events {
      fixture.clock.advance(by: 60)
      times[name] = fixture.clock.micros
      offline.logEvent(name, item.map { ["item_id": $0] } ?? [:])
    }
    fixture.clock.advance(by: 420)
    let collector = fixture.collector()
    collector.logEvent("back", [:])
    await collector.uploader?.waitUntilIdle()
    #expect(collector.waitingCount == 0)
    proxy.stop()
    let devices = try await Self.report("debug", of: fixture.app.name)["devices"]
    let device = try #require((devices as? [[String: Any]])?.first)
    #expect(device["appInstanceId"] as? String == collector.instanceID)
    let entries = try #require(device["entries"] as? [[String: Any]])
    #expect(entries.allSatisfy { $0["dropped"] == nil })
    for (name, item) in Self.events {
      let found = entries.filter { $0["event"] as? String == name }
      #expect(found.count == 1)
      let text = try #require(found.first?["time"] as? String)
      #expect(try Self.micros(text) == times[name])
      let kept = found.first?["params"] as? [String: Any] ?? [:]
      #expect(kept["item_id"] as? String == item)
    }
    #expect(entries.count { $0["event"] as? String == "session_start" } == 1)
  }

  private static func micros(_ text: String) throws -> Int64 {
    let parts = text.split(separator: ".")
    let date = try Date("\(parts[0])Z", strategy: .iso8601)
    return Int64(date.timeIntervalSince1970) * 1_000_000 + (Int64(parts[1].dropLast()) ?? -1)
  }

  @Test func `a cut network counts nothing twice`() async throws {
    let server = try BrasaServer.shared.get()
    let proxy = try CuttingProxy(to: server.port) { $0 < 10 ? 250 + 400 * $0 : nil }
    let fixture = try AnalyticsFixture(
      server: "http://127.0.0.1:\(proxy.port)",
      startingAt: Date().timeIntervalSince1970 - 60
    )
    defer { fixture.remove() }
    let collector = fixture.collector()
    for number in 0..<120 {
      collector.logEvent(number.isMultiple(of: 3) ? "fizz" : "tick", ["number": number])
      fixture.clock.advance(by: 0.5)
    }
    await collector.uploader?.waitUntilIdle()
    #expect(collector.waitingCount == 0)
    proxy.stop()
    #expect(proxy.cutCount > 3)
    #expect(
      try await Self.counts(of: fixture.app.name)
        == ["first_open": 1, "session_start": 1, "fizz": 40, "tick": 80]
    )
  }

  @Test func `a full event loses no parameter to those of the session`() async throws {
    let server = try BrasaServer.shared.get()
    let fixture = try AnalyticsFixture(
      server: server.url,
      startingAt: Date().timeIntervalSince1970 - 60
    )
    defer { fixture.remove() }
    let collector = fixture.collector(arguments: ["-FIRDebugEnabled"])
    collector.start(on: EventDevice())
    fixture.clock.advance(by: 20)
    collector.logEvent("screen_view", ["screen_name": "list"])
    fixture.clock.advance(by: 2)
    let params = Dictionary(uniqueKeysWithValues: (0..<25).map { ("p\($0)", $0) })
    collector.logEvent("full", params)
    await collector.uploader?.waitUntilIdle()
    #expect(collector.waitingCount == 0)
    let devices = try await Self.report("debug", of: fixture.app.name)["devices"]
    let entries = (devices as? [[String: Any]])?.first?["entries"] as? [[String: Any]] ?? []
    #expect(entries.allSatisfy { $0["dropped"] == nil })
    let full = try #require(entries.first { $0["event"] as? String == "full" })
    let names = Set((full["params"] as? [String: Any] ?? [:]).keys)
    #expect(names.isSuperset(of: params.keys))
    #expect(
      names.subtracting(params.keys) == [
        "ga_session_id", "ga_session_number", "engagement_time_msec", "session_engaged",
        "firebase_screen",
      ]
    )
  }
}
