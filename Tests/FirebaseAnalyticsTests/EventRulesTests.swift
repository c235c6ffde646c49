import Foundation
import Testing

@testable import FirebaseAnalytics

/// Which names and values events may have.
struct EventRulesTests {
  @Test(arguments: [
    ("select_item", true), ("A", true), ("a1_", true), (String(repeating: "a", count: 40), true),
    ("", false), ("_a", false), ("1a", false), ("a-b", false), ("ação", false), ("a b", false),
    (String(repeating: "a", count: 41), false), ("firebase_x", false), ("google_x", false),
    ("ga_x", false), ("session_start", false), ("first_open", false), ("app_exception", false),
    ("in_app_purchase", false), ("Session_start", true),
  ])
  func `names of events`(name: String, isAllowed: Bool) {
    #expect(EventRules.isEventName(name) == isAllowed)
  }

  @Test(arguments: [
    ("plan", true), (String(repeating: "a", count: 24), true), ("user_id", false),
    (String(repeating: "a", count: 25), false), ("first_open_time", false), ("ga_plan", false),
    ("first_open", true),
  ])
  func `names of user properties`(name: String, isAllowed: Bool) {
    #expect(EventRules.isPropertyName(name) == isAllowed)
  }

  @Test func `values keep their types`() {
    let given: [String: Any] = [
      "text": "a", "int": 3, "small": UInt8(7), "flag": true, "fraction": 1.5, "float": Float(0.5),
      "number": NSNumber(value: 4), "decimal": NSNumber(value: 2.5), "huge": UInt64.max,
      "date": Date(), "list": [1], "infinite": Double.infinity, "bad name": 1,
    ]
    #expect(
      EventRules.parameters(given, of: "e") == [
        "text": .string("a"), "int": .int(3), "small": .int(7), "flag": .int(1),
        "fraction": .double(1.5), "float": .double(0.5), "number": .int(4),
        "decimal": .double(2.5), "huge": .int(.max),
      ]
    )
  }

  @Test func `texts are cut between characters, by the count of the server`() {
    let family = "👨‍👩‍👧"  // five scalars
    let text = String(repeating: "a", count: 97) + family
    let cut = EventRules.parameters(["t": text], of: "e")["t"]
    #expect(cut == .string(String(repeating: "a", count: 97)))
    let fits = String(repeating: "a", count: 95) + family
    #expect(EventRules.parameters(["t": fits], of: "e")["t"] == .string(fits))
  }

  @Test func `the twenty-sixth parameter is dropped, and defaults give way`() {
    var given: [String: Any] = [:]
    for number in 0..<26 { given["p\(number + 10)"] = number }
    let kept = EventRules.parameters(given, of: "e")
    #expect(kept.count == 25 && kept["p35"] == nil)
    #expect(EventRules.merged(kept, defaults: ["d": .int(1)]) == kept)
    let few: [String: EventValue] = ["d": .int(2)]
    let merged = EventRules.merged(few, defaults: ["d": .int(1), "x": .int(1)])
    #expect(merged == ["d": .int(2), "x": .int(1)])
  }

  @Test func `items are checked one by one`() {
    let items: [[String: Any]] = Array(
      repeating: ["item_id": "SKU", "quantity": 2, "no name": 1, "when": Date()],
      count: 201
    )
    let kept = EventRules.parameters(["items": items, "others": items], of: "purchase")
    let item: [String: EventValue] = ["item_id": .string("SKU"), "quantity": .int(2)]
    #expect(kept == ["items": .items(Array(repeating: item, count: 200))])
  }

  @Test func `a value is an object of one member`() throws {
    let values: [String: EventValue] = [
      "a": .string("x"), "b": .int(-3), "c": .double(0.5), "d": .items([["e": .int(1)]]),
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(values)
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"a":{"stringValue":"x"},"b":{"intValue":-3},"c":{"doubleValue":0.5},"#
        + #""d":{"items":[{"e":{"intValue":1}}]}}"#
    )
    #expect(try JSONDecoder().decode([String: EventValue].self, from: data) == values)
  }
}
