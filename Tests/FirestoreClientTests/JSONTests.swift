import DocumentCodec
import FirestoreModel
import FirestoreSync
import ModelTestSupport
import Testing

@testable import FirestoreClient

/// Values in JSON, to the server and back.
struct JSONTests {
  private static func scan<R>(
    _ text: String,
    _ read: (inout JSONScanner) throws -> R
  ) throws -> R {
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var json = JSONScanner(bytes)
      let result = try read(&json)
      try json.end()
      return result
    }
  }

  @Test func `every value comes back as it was`() throws {
    var random = RandomValues(seed: 13)
    for _ in 0..<500 {
      let fields = DocumentFields(encoding: random.map())
      var json = JSONWriter()
      json.fields(fields)
      let text = String(decoding: json.bytes, as: UTF8.self)
      var writer = ProtobufWriter()
      try Self.scan(text) { try writer.fields(2, &$0) }
      let back = DocumentFields(validated: writer.bytes)
      // JSON has one spelling for all that are no numbers.
      if text.contains("NaN") {
        var again = JSONWriter()
        again.fields(back)
        #expect(again.bytes == json.bytes)
      } else {
        #expect(back.isIdentical(to: fields), "\(text)")
      }
    }
  }

  @Test func `documents are read with their times`() throws {
    let document = try Self.scan(
      """
      {"name": "projects/p/databases/(default)/documents/a/b",
       "fields": {"n": {"integerValue": "-9223372036854775808"}, "é\\u0041\\ud83d\\ude00": {"nullValue": null},
         "t": {"timestampValue": "2024-02-29T23:59:59.123456789Z"}, "list": {"arrayValue": {}},
         "map": {"mapValue": {"fields": {"x": {"doubleValue": "NaN"}}}}, "b": {"bytesValue": "AQI="}},
       "createTime": "1970-01-01T00:00:01Z", "updateTime": "1970-01-01T00:00:02.5Z", "more": [1, {"x": false}]}
      """
    ) { try $0.document() }
    #expect(document.path.string == "a/b" && document.createTime.microseconds == 1_000_000)
    #expect(document.version.microseconds == 2_500_000)
    let map = try #require(document.fields).decoded()
    #expect(map["n"] == .integer(.min) && map["éA😀"] == .null && map["b"] == .bytes([1, 2]))
    #expect(map["list"] == .array([]))
    #expect(map["t"] == .timestamp(Timestamp(microseconds: 1_709_251_199_123_456)))
  }

  @Test(arguments: [
    "", "{", "{\"a\"}", "{\"stringValue\": 1}", "{\"integerValue\": \"1.5x\"}", "{} {}",
    "{\"stringValue\": \"a", "{\"stringValue\": \"\\x\"}",
    "{\"nullValue\": null, \"booleanValue\": true}",
    "{}", "{\"unknownValue\": 1}", "{\"doubleValue\": \"many\"}",
    "{\"integerValue\": 9223372036854775808}",
  ])
  func `what is no value is refused`(text: String) {
    #expect(throws: (any Error).self) { _ = try Self.scan(text) { try $0.value() } }
  }

  @Test func `nesting has a bound`() {
    let text = String(repeating: "[", count: 10_000)
    #expect(throws: JSONScanner.Malformed.self) { try Self.scan(text) { try $0.skip() } }
  }

  @Test func `years from 1 to 9999 are spelled`() {
    for (seconds, text) in [
      (Timestamp.minimumSeconds, "0001-01-01T00:00:00.000000Z"),
      (-1, "1969-12-31T23:59:59.000000Z"),
      (951_782_400, "2000-02-29T00:00:00.000000Z"),
      (Timestamp.maximumSeconds, "9999-12-31T23:59:59.000000Z"),
    ] {
      #expect(RFC3339.text(Timestamp(microseconds: seconds * 1_000_000)) == text)
    }
  }
}
