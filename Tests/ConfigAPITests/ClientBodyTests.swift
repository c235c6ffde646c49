import BaseJSON
import BaseStatus
import ConfigTemplates
import Testing

@testable import ConfigAPI

/// Bodies as Google's clients send them.
@Suite struct ClientBodyTests {
  @Test func `iOS's relaxed JSON is read`() throws {
    let body = #"""
      {app_instance_id:'cFid', app_id:"1:42:ios:ab", country_code:'BR', app_build:'3',
       first_open_time:'2024-01-01T00:00:00Z', analytics_user_properties:{"a": "it's", "n": 5},
       custom_signals:{'k':'v\'\u00e9', other:-1.50, gone:null}, extra:[true, {}]}
      """#
    let client = try ConfigClient(
      fetch: try JSONParser.parse(Array(body.utf8), syntax: .relaxed, maximumDepth: 16),
      userAgent: nil
    )
    #expect(client.installationID == "cFid")
    #expect(client.platform == "ios")
    #expect(client.userProperties == ["a": "it's", "n": "5"])
    #expect(client.customSignals == ["k": "v'é", "other": "-1.50"])
    #expect(client.firstOpenTime == 1_704_067_200_000_000)
  }

  @Test(arguments: [
    "", "{", "{a}", "{a:}", "{a:b}", "{a:'x}", "{a:'\\q'}", "{a:1,}", "[1 2]", "{a:1}}", "{a:--1}",
    "{a:'\\ud800'}", "{:1}", "\u{1}", String(repeating: "[", count: 10_000),
  ])
  func `what is no JSON is refused`(_ body: String) {
    #expect(throws: ServiceError.self) {
      try JSONParser.parse(Array(body.utf8), syntax: .relaxed, maximumDepth: 16)
    }
  }

  @Test(arguments: [
    #"{"app_id":{}}"#, #"{"custom_signals":{"a":{}}}"#, #"{"first_open_time":"yesterday"}"#,
  ])
  func `members of another kind are refused`(_ body: String) throws {
    let json = try JSONParser.parse(Array(body.utf8), syntax: .relaxed, maximumDepth: 16)
    #expect(throws: ServiceError.self) { try ConfigClient(fetch: json, userAgent: nil) }
  }

  @Test func `damaged bytes never crash the reader`() {
    var random = SplitMix(seed: 7)
    let seed = Array(#"{app_id:"1:42:ios:ab",custom_signals:{'k':'v\'\u00e9',b:[-1.5,null]}}"#.utf8)
    for _ in 0..<4_000 {
      var bytes = seed
      for _ in 0..<(random.next() % 4 + 1) {
        bytes[Int(random.next()) % bytes.count] = UInt8(random.next() & 0xFF)
      }
      if random.next() % 3 == 0 { bytes.removeLast(Int(random.next()) % bytes.count) }
      if let json = try? JSONParser.parse(bytes, syntax: .relaxed, maximumDepth: 16) {
        #expect(json.compact.utf8.count < 1_000)
      }
    }
  }
}

/// A generator whose numbers are the same in every run.
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt32 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return UInt32(truncatingIfNeeded: mixed >> 32)
  }
}
