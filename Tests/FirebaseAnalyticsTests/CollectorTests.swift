import FirebaseAnalytics
import FirebaseCore
import Foundation
import Testing

@testable import FirebaseAnalytics

/// Tests of the logged events, and of the fields that come with them.
struct CollectorTests {
  @Test func `the first start has its events, the next ones theirs`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let first = fixture.collector(isOnline: false)
    let device = EventDevice(osVersion: "1.0.0", appVersion: "1.0")
    first.start(on: device)
    first.logEvent("new_item", [:])
    #expect(first.waitingNames == ["first_open", "session_start", "new_item"])
    fixture.clock.advance(by: 3_600)
    let second = fixture.collector(isOnline: false)
    second.start(on: EventDevice(osVersion: "1.1.0", appVersion: "2.0"))
    #expect(second.waitingNames.dropFirst(3) == ["session_start", "app_update", "os_update"])
    let events = second.waitingEvents
    #expect(events[4].params["previous_app_version"] == .string("1.0"))
    #expect(events[5].params["previous_os_version"] == .string("1.0.0"))
    #expect(events.map(\.sequence) == Array(1...6))
  }

  @Test func `a session goes on over a restart and ends with a long time without events`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    var collector = fixture.collector(isOnline: false)
    collector.start(on: EventDevice())
    let id = try #require(collector.sessionID)
    #expect(id == fixture.clock.micros / 1_000_000)
    fixture.clock.advance(by: 1_799)
    collector = fixture.collector(isOnline: false)
    collector.start(on: EventDevice())
    collector.logEvent("a", [:])
    #expect(collector.sessionID == id)
    fixture.clock.advance(by: 1_801)
    #expect(collector.sessionID == nil)
    collector.logEvent("b", [:])
    #expect(collector.sessionID == id + 3_600)
    #expect(collector.waitingNames == ["first_open", "session_start", "a", "session_start", "b"])
    #expect(collector.waitingEvents.last?.params["ga_session_number"] == .int(2))
    collector.setSessionTimeout(5)
    fixture.clock.advance(by: 6)
    collector.logEvent("c", [:])
    #expect(collector.waitingEvents.last?.params["ga_session_number"] == .int(3))
  }

  @Test func `where nobody tells of the front, events tell how long the app was used`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    collector.start(on: EventDevice())
    fixture.clock.advance(by: 4)
    collector.logEvent("a", [:])
    fixture.clock.advance(by: 7)
    collector.logEvent("b", [:])
    let last = collector.waitingEvents.suffix(2)
    #expect(last.map { $0.params["engagement_time_msec"] } == [.int(4_000), .int(7_000)])
    #expect(last.map { $0.params["session_engaged"] } == [nil, .int(1)])
  }

  @Test func `on platforms that tell, the time in front is told when the app leaves it`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(tellsLifecycle: true, isOnline: false)
    collector.start(on: EventDevice())
    #expect(collector.waitingNames.isEmpty)
    collector.didEnterForeground()
    fixture.clock.advance(by: 2_000)
    collector.logEvent("a", [:])
    collector.didEnterBackground()
    fixture.clock.advance(by: 1_700)
    collector.didEnterForeground()
    collector.didEnterBackground()
    fixture.clock.advance(by: 1_900)
    collector.didEnterForeground()
    #expect(
      collector.waitingNames == [
        "first_open", "session_start", "a", "user_engagement", "user_engagement", "session_start",
      ]
    )
    let times = collector.waitingEvents.map { $0.params["engagement_time_msec"] }
    #expect(times == [nil, nil, nil, .int(2_000_000), nil, nil])
  }

  @Test func `a screen's event names the screen before it, and the others the screen`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(tellsLifecycle: true, isOnline: false)
    collector.didEnterForeground()
    collector.logEvent("screen_view", ["screen_name": "list", "screen_class": "List"])
    collector.logEvent("a", [:])
    collector.logEvent("screen_view", ["screen_name": "edit"])
    let events = collector.waitingEvents.suffix(3).map(\.params)
    #expect(events[0]["firebase_previous_screen"] == nil)
    #expect(events[1]["firebase_screen"] == .string("list"))
    #expect(events[1]["firebase_screen_class"] == .string("List"))
    #expect(events[2]["firebase_previous_screen"] == .string("list"))
    #expect(events[2]["firebase_screen"] == .string("edit"))
    #expect(events[2]["firebase_screen_class"] == nil)
  }

  @Test func `defaults last, and single ones go`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    fixture.collector(isOnline: false).setDefaultParameters(["a": 1, "b": "x", "c": 2])
    let collector = fixture.collector(isOnline: false)
    collector.setDefaultParameters(["b": NSNull(), "c": 3])
    collector.logEvent("e", ["a": 9])
    let params = try #require(collector.waitingEvents.last).params
    #expect(params["a"] == .int(9) && params["b"] == nil && params["c"] == .int(3))
    collector.setDefaultParameters(nil)
    collector.logEvent("e", [:])
    #expect(collector.waitingEvents.last?.params["c"] == nil)
  }

  @Test func `what is disabled is not logged, in later runs too`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    fixture.collector(isOnline: false).setEnabled(false)
    let collector = fixture.collector(isOnline: false)
    collector.start(on: EventDevice())
    collector.logEvent("a", [:])
    #expect(collector.waitingNames.isEmpty)
    collector.setEnabled(true)
    collector.logEvent("b", [:])
    #expect(collector.waitingNames == ["first_open", "session_start", "b"])
  }

  @Test func `a reset forgets the user and the events, and the instance is another`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    let id = try #require(collector.instanceID)
    collector.setUserID("ana")
    collector.setUserProperty("gold", forName: "plan")
    collector.logEvent("a", [:])
    collector.reset()
    #expect(collector.waitingNames.isEmpty)
    let next = try #require(collector.instanceID)
    #expect(next != id && next.count == 22)
    collector.logEvent("b", [:])
    let context = collector.update { editor, _ in editor.contents.context }
    #expect(context?.userID == nil && context?.properties == [:])
    #expect(fixture.collector(isOnline: false).instanceID == next)
    #expect(collector.waitingEvents.map(\.sequence) == [4, 5, 6])
  }

  @Test func `other products see the user's properties as far as the user consents`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    collector.setUserProperty("gold", forName: "plan")
    collector.setUserProperty("12", forName: "level")
    collector.setUserProperty(nil, forName: "level")
    let opened = fixture.clock.micros
    collector.logEvent("a", [:])
    fixture.clock.advance(by: 60)
    collector.logEvent("b", [:])
    let known = collector.userProperties
    #expect(known.values == ["plan": "gold"])
    #expect(known.firstOpenTime == Date(timeIntervalSince1970: Double(opened) / 1_000_000))
    #expect(fixture.collector(isOnline: false).userProperties == known)
    collector.setConsent([.analyticsStorage: .denied])
    #expect(collector.userProperties == AppUserProperties())
    collector.setConsent([.analyticsStorage: .granted])
    #expect(collector.userProperties == known)
    collector.setEnabled(false)
    #expect(collector.userProperties == AppUserProperties())
    collector.setEnabled(true)
    collector.reset()
    #expect(collector.userProperties == AppUserProperties())
  }

  @Test func `other products find the one for events by its class`() {
    let found: AnyClass? = NSClassFromString("FirebaseAnalytics.Analytics")
    #expect(found is any AppEventsTarget.Type)
    #expect(found is any AppUserPropertiesSource.Type)
  }

  @Test func `there are twenty-five properties, and removed ones make room`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    for number in 0..<26 { collector.setUserProperty("v", forName: "p\(number)") }
    func names() -> Set<String> {
      Set(collector.update { editor, _ in Array(editor.contents.context.properties.keys) } ?? [])
    }
    #expect(names().count == 25 && !names().contains("p25"))
    collector.setUserProperty(nil, forName: "p3")
    collector.setUserProperty(nil, forName: "never")
    #expect(names().contains("p3") && !names().contains("never"))
    collector.setUserProperty("v", forName: "p25")
    #expect(names().contains("p25") && !names().contains("p3"))
  }

  @Test func `the oldest events go where too many wait`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    let text = String(repeating: "x", count: 100)
    var params: [String: Any] = [:]
    for number in 0..<25 { params["p\(number)"] = text }
    for _ in 0..<2_800 { collector.logEvent("big", params) }
    let bytes = collector.update { editor, _ in editor.contents.waitingBytes } ?? 0
    #expect(bytes <= EventCollector.bounds.bytes && bytes > EventCollector.bounds.bytes - 5_000)
    #expect(collector.waitingEvents.last?.sequence == 2_802)
  }

  @Test func `an error that the app got over is told by its domain and code`() throws {
    struct Broken: LocalizedError {
      var errorDescription: String? { String(repeating: "x", count: 200) }
    }
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    collector.start(on: EventDevice(appVersion: "1.0"))
    collector.record(NSError(domain: "shop.cart", code: 7), ["step": "pay", "exception": "mine"])
    collector.record(Broken(), [:])
    let events = collector.waitingEvents.suffix(2)
    #expect(events.map(\.name) == ["app_exception", "app_exception"])
    let first = try #require(events.first?.params)
    #expect(first["fatal"] == .int(0))
    #expect(first["exception"] == .string("shop.cart 7"))
    #expect(first["step"] == .string("pay"))
    #expect(first["timestamp"] == .int(fixture.clock.micros / 1_000))
    let second = try #require(events.last?.params)
    #expect(second["reason"] == .string(String(repeating: "x", count: 100)))
    collector.setEnabled(false)
    collector.record(Broken(), [:])
    #expect(collector.waitingEvents.count { $0.name == "app_exception" } == 2)
  }

  @Test func `a crash is told at the next start, in the version that crashed`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    fixture.collector(isOnline: false).start(on: EventDevice(appVersion: "1.0"))
    let crash = CrashReport(signal: 5, timeMicros: fixture.clock.micros + 1_000_000)
    let collector = fixture.collector(isOnline: false)
    collector.start(on: EventDevice(appVersion: "1.1"), crash: crash)
    let waiting = collector.update { editor, _ in editor.contents.waiting } ?? []
    let event = try #require(waiting.first { $0.event.name == "app_exception" })
    #expect(event.context.device.appVersion == "1.0")
    #expect(event.event.timeMicros == crash.timeMicros)
    #expect(event.event.params["fatal"] == .int(1))
    #expect(event.event.params["exception"] == .string("SIGTRAP"))
    #expect(waiting.last?.context.device.appVersion == "1.1")
  }

  @Test func `links with a campaign are told`() throws {
    let fixture = try AnalyticsFixture()
    defer { fixture.remove() }
    let collector = fixture.collector(isOnline: false)
    for link in ["app://x?utm_source=mail&utm_campaign=may&q=1", "app://x?utm_term=a", "app://x"] {
      collector.logCampaign(of: try #require(URL(string: link)))
    }
    #expect(collector.waitingNames == ["first_open", "session_start", "campaign_details"])
    let params = collector.waitingEvents.last?.params
    #expect(params?["source"] == .string("mail") && params?["campaign"] == .string("may"))
  }
}
