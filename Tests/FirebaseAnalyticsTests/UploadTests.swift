import FirebaseInstallations
import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseAnalytics

/// Events on their way to a server, each exactly once.
struct UploadTests {
  @Test func `batches have what the server needs`() async throws {
    let intake = try Intake()
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    let offline = fixture.collector(isOnline: false)
    offline.setUserID("ana")
    offline.setUserProperty("gold", forName: "plan")
    offline.setConsent([.adStorage: .denied, .analyticsStorage: .granted])
    offline.logEvent("select_item", ["item_id": "SKU_1"])
    let time = fixture.clock.micros
    fixture.clock.advance(by: 60)
    let collector = fixture.collector()
    collector.logEvent("new_item", [:])
    await intake.wait(for: 4)
    let members = try #require(
      try JSONSerialization.jsonObject(with: Data(intake.taken.bodies[0].utf8)) as? [String: Any]
    )
    #expect(members["appInstanceId"] as? String == collector.instanceID)
    #expect(members["userId"] as? String == "ana")
    #expect(members["debug"] as? Bool == false)
    #expect(
      members["consent"] as? [String: String]
        == ["adStorage": "DENIED", "analyticsStorage": "GRANTED"]
    )
    let plan = (members["userProperties"] as? [String: [String: Any]])?["plan"]
    #expect(plan?["value"] as? String == "gold")
    #expect((members["sentTimeMillis"] as? NSNumber)?.int64Value == fixture.clock.micros / 1_000)
    let event = try #require(intake.taken.events.first { $0.name == "select_item" })
    #expect(event.timeMicros == time)
    let request = try #require(intake.requests.first)
    #expect(
      request.line.hasPrefix(
        "POST /v1/projects/\(fixture.app.name)/apps/1:42:linux:ab/events:batch "
      )
    )
    #expect(request.headers["x-goog-api-key"] == fixture.app.name)
    #expect(request.headers["content-encoding"] == "gzip")
  }

  @Test func `a change of the user begins another batch`() async throws {
    let intake = try Intake()
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    let offline = fixture.collector(isOnline: false)
    for number in 0..<30 { offline.logEvent("tick", ["number": number]) }
    offline.setUserID("ana")
    offline.logEvent("tick", ["number": 30])
    fixture.collector().setUserID(nil)
    await intake.wait(for: 33)
    let taken = intake.taken
    #expect(taken.sizes == [25, 7, 1])
    #expect(taken.events.map(\.userID) == Array(repeating: nil, count: 32) + ["ana"])
    #expect(taken.numbers == [0, 1, 2].map { taken.numbers[0] + $0 })
  }

  @Test func `answers that are lost and servers that fail repeat nothing`() async throws {
    let intake = try Intake(failures: [503, 429, 302], lostAnswers: 3)
    // The first connections break, most within the request; three answers say that nothing was done.
    let proxy = try CuttingProxy(to: intake.port) { $0 < 40 ? 200 + 150 * $0 : nil }
    let fixture = try AnalyticsFixture(server: "http://127.0.0.1:\(proxy.port)")
    defer { fixture.remove() }
    let collector = fixture.collector()
    for number in 0..<200 {
      collector.logEvent("tick", ["number": number])
      fixture.clock.advance(by: 0.25)
    }
    await intake.wait(for: 202)
    proxy.stop()
    let taken = intake.taken
    let ticks = taken.events.filter { $0.name == "tick" }
    #expect(ticks.compactMap(\.number) == Array(0..<200))
    let times = ticks.map(\.timeMicros)
    #expect(times == (0..<200).map { times[0] + 250_000 * Int64($0) })
    #expect(proxy.cutCount > 3 && taken.repeats >= 3)
  }

  @Test func `what the server will never take is given up, and the next batch goes`() async throws {
    let intake = try Intake(failures: [400])
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    let offline = fixture.collector(isOnline: false)
    for number in 0..<30 { offline.logEvent("tick", ["number": number]) }
    fixture.collector().logEvent("tick", ["number": 30])
    await intake.wait(for: 8)
    #expect(intake.taken.events.compactMap(\.number) == Array(23...30))
  }

  @Test func `without consent to an id there is none`() async throws {
    let intake = try Intake()
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    let collector = fixture.collector()
    collector.setConsent([.analyticsStorage: .denied])
    #expect(collector.instanceID == nil && collector.sessionID == nil)
    collector.setUserID("bia")
    collector.logEvent("a", [:])
    await intake.wait(for: 3)
    #expect(intake.taken.bodies.allSatisfy { !$0.contains("appInstanceId") && !$0.contains("bia") })
  }

  @Test func `the debug mode is told, and lasts until it is turned off`() async throws {
    let intake = try Intake()
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    fixture.collector(arguments: ["-FIRAnalyticsDebugEnabled"]).start(on: EventDevice())
    await intake.wait(for: 2)
    #expect(intake.taken.bodies.allSatisfy { $0.contains("\"debug\":true") })
    let next = fixture.collector()
    next.start(on: EventDevice())
    next.logEvent("a", [:])
    await intake.wait(for: 3)
    #expect(intake.taken.bodies.last?.contains("\"debug\":true") == true)
    let last = fixture.collector(arguments: ["-FIRDebugDisabled"])
    last.start(on: EventDevice())
    last.logEvent("b", [:])
    await intake.wait(for: 4)
    #expect(intake.taken.bodies.last?.contains("\"debug\":false") == true)
  }

  @Test func `what waits while collection is off is sent when it is on again`() async throws {
    let intake = try Intake()
    let fixture = try AnalyticsFixture(server: intake.url)
    defer { fixture.remove() }
    let offline = fixture.collector(isOnline: false)
    offline.logEvent("a", [:])
    offline.setEnabled(false)
    let collector = fixture.collector()
    collector.logEvent("b", [:])
    #expect(collector.waitingNames == ["first_open", "session_start", "a"])
    collector.setEnabled(true)
    await intake.wait(for: 3)
    #expect(intake.taken.events.map(\.name) == ["first_open", "session_start", "a"])
  }
}
