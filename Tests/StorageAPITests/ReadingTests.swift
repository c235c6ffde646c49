import BaseJSON
import HTTPTypes
import ObjectStorage
import Testing

@testable import StorageAPI

@Suite struct ReadingTests {
  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-9", .part(0..<10)), ("bytes=5-", .part(5..<100)),
      ("bytes=-10", .part(90..<100)), ("bytes=90-200", .part(90..<100)),
      ("bytes=-200", .part(0..<100)),
      ("bytes=9-5", .whole), ("bytes=0-1,5-6", .whole), ("items=0-1", .whole),
      ("bytes=x-1", .whole),
      ("bytes=0-99999999999999999999", .part(0..<100)), ("bytes=-", .whole), ("bytes=+1-2", .whole),
    ] as [(String?, ByteRange)]
  )
  func `ranges are read as HTTP has them`(header: String?, expected: ByteRange) throws {
    #expect(try ByteRange(header, size: 100) == expected)
  }

  @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0"])
  func `ranges beyond the end are refused`(header: String) {
    #expect(throws: StorageError.self) { try ByteRange(header, size: 100) }
  }

  @Test(
    arguments: [
      ("bytes 0-9/20", .chunk(0...9), 20, false), ("bytes 10-19/20", .chunk(10...19), 20, true),
      ("bytes 0-9/*", .chunk(0...9), nil, false), ("bytes */20", .none, 20, false),
      ("bytes */*", .none, nil, false), ("bytes 0-*/*", .rest(from: 0), nil, true),
      ("bytes 5-*/20", .rest(from: 5), 20, true), ("bytes 0-*/0", .rest(from: 0), 0, true),
      ("Bytes 20-*/20", .rest(from: 20), 20, true),
    ] as [(String, ContentRange.Bytes, Int64?, Bool)]
  )
  func `requests of an upload say which bytes they bring`(
    header: String,
    bytes: ContentRange.Bytes,
    total: Int64?,
    isLast: Bool
  ) throws {
    let range = try ContentRange(header)
    #expect(range.bytes == bytes && range.total == total && range.isLast == isLast)
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-9", "bytes 9-0/20", "bytes 0-20/20", "bytes -1-2/3", "bytes 0-9/x",
    "bytes 0-99999999999999999999/*", "octets 0-9/20", "bytes 21-*/20", "bytes -*/20",
    "bytes *-9/20", "bytes 0-*", "bytes 0-**/20", "bytes 0-9 /20",
  ])
  func `chunks that lie are refused`(header: String) {
    #expect(throws: StorageError.self) { try ContentRange(header) }
  }

  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("deflate, GZip;q=0.5", true), ("gzip;q=0", false),
      ("gzip; q=0.0, *", false), ("*", true), ("*;q=0", false), ("identity", false),
      ("x-gzip", true),
      ("gzipped", false),
    ] as [(String?, Bool)]
  )
  func `a client says whether it takes gzip`(header: String?, isAccepted: Bool) {
    #expect(AcceptedEncodings(header).contains("gzip") == isAccepted)
  }

  @Test(arguments: [
    "{}", "[1]", #"[{"origin":"*"}]"#, #"[{"method":["G T"]}]"#, #"[{"maxAgeSeconds":-1}]"#,
    #"[{"responseHeader":["a\nb"]}]"#, #"[{"origins":["*"]}]"#,
  ])
  func `origins of a bucket that are none are refused`(json: String) {
    #expect(throws: StorageError.self) {
      try CORSRule.rules(try JSONParser.parse(Array(json.utf8)))
    }
  }

  @Test func `a page may do what its origin's entry says`() throws {
    let json = """
      [{"origin":["https://a.example"],"method":["get","PUT"],"responseHeader":["Content-Type","x-goog-meta-*"],
        "maxAgeSeconds":60},{"origin":["*"],"method":["*"]}]
      """
    let rules = try CORSRule.rules(try JSONParser.parse(Array(json.utf8)))
    #expect(rules[0].allows("https://a.example", "GET"))
    #expect(rules[0].allows("https://a.example", "PUT"))
    #expect(!rules[0].allows("https://a.example", "DELETE"))
    #expect(!rules[0].allows("https://b.example", "GET"))
    #expect(!rules[0].allows("https://a.example:8443", "GET"))
    #expect(rules[1].allows("null", "DELETE"))
    let fields = rules[0].preflightFields(
      for: "https://a.example",
      asked: "content-type, X-Goog-Meta-Album,authorization"
    )
    #expect(fields[.accessControlAllowOrigin] == "https://a.example")
    #expect(fields[.accessControlAllowMethods] == "GET, PUT")
    #expect(fields[.accessControlAllowHeaders] == "content-type, X-Goog-Meta-Album")
    #expect(fields[.accessControlMaxAge] == "60")
    #expect(rules[1].fields(for: "https://b.example")[.accessControlAllowOrigin] == "*")
    #expect(
      rules[0].fields(for: "https://a.example")[.accessControlExposeHeaders]?.isEmpty == false
    )
  }

  @Test(arguments: [
    ("items(name,size)", #"{"items":[{"name":"a","size":"1"}]}"#),
    ("items/name,next", #"{"items":[{"name":"a"}],"next":"n"}"#),
    ("*", #"{"items":[{"name":"a","size":"1","m":{"k":"v"}}],"next":"n"}"#),
    ("items(m/k)", #"{"items":[{"m":{"k":"v"}}]}"#), ("nothing", "{}"),
  ])
  func `answers are cut to the fields that are wanted`(mask: String, expected: String) throws {
    let whole = #"{"items":[{"name":"a","size":"1","m":{"k":"v"}}],"next":"n"}"#
    let value = try JSONParser.parse(Array(whole.utf8))
    let part = try FieldsMask(mask).apply(to: value)
    #expect(String(decoding: part.compactBytes, as: UTF8.self) == expected)
  }

  @Test(arguments: ["", "a(", "a)", "a,,b", "a(b", "/a", String(repeating: "a(", count: 40)])
  func `malformed selections of fields are refused`(mask: String) {
    #expect(throws: StorageError.self) { try FieldsMask(mask) }
  }

  @Test func `dates are HTTP's`() {
    #expect(HTTPDate.text(784_111_777_000_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
  }

  @Test(arguments: [
    #"{"unknown":1}"#, #"{"contentType":1}"#, #"{"metadata":{"a":1}}"#, #"{"metadata":[]}"#,
    #"{"md5Hash":"x"}"#, #"{"crc32c":"AAAA"}"#, #"{"storageClass":"SLOW"}"#,
    #"{"customTime":"yesterday"}"#, #"{"temporaryHold":"yes"}"#,
  ])
  func `metadata that means nothing is refused`(text: String) throws {
    let json = try JSONParser.parse(Array(text.utf8))
    #expect(throws: StorageError.self) { try AttributesJSON(json) }
  }

  @Test(arguments: [
    (#"{"iamConfiguration":{"publicAccessPrevention":"enforced"}}"#, "enforced"),
    (#"{"iamConfiguration":{"publicAccessPrevention":"unspecified"}}"#, "inherited"),
    (#"{"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true,"lockedTime":"x"}}}"#, nil),
    (#"{"iamConfiguration":{"bucketPolicyOnly":{"enabled":true}}}"#, nil),
    (#"{"iamConfiguration":null}"#, nil), (#"{"rpo":"ASYNC_TURBO"}"#, nil), (#"{"rpo":null}"#, nil),
  ])
  func `what is set of access to a bucket is kept and shown`(json: String, word: String?) throws {
    var configuration = BucketConfiguration()
    try BucketChange(try JSONParser.parse(Array(json.utf8))).apply(to: &configuration)
    let shown = String(decoding: configuration.json.compactBytes, as: UTF8.self)
    #expect(shown.contains(#""publicAccessPrevention":"\#(word ?? "inherited")""#))
    #expect(shown.contains(#""rpo":"ASYNC_TURBO""#) == json.contains("TURBO"))
    #expect(!shown.contains("iamConfiguration."))
    // As an export has it and an import reads it.
    var again = BucketConfiguration()
    try BucketChange(configuration.json).apply(to: &again)
    #expect(again.documents["rpo"] == configuration.documents["rpo"])
    #expect(String(decoding: again.json.compactBytes, as: UTF8.self) == shown)
  }

  @Test(arguments: [
    #"{"iamConfiguration":{"publicAccessPrevention":"public"}}"#,
    #"{"iamConfiguration":{"publicAccessPrevention":true}}"#,
    #"{"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":false}}}"#,
    #"{"iamConfiguration":{"uniformBucketLevelAccess":{"else":1}}}"#,
    #"{"iamConfiguration":{"else":1}}"#, #"{"iamConfiguration":[]}"#, #"{"rpo":"NEVER"}"#,
    #"{"rpo":{}}"#,
  ])
  func `what cannot be set of access to a bucket is refused`(json: String) throws {
    let value = try JSONParser.parse(Array(json.utf8))
    #expect(throws: StorageError.self) { try BucketChange(value) }
  }

  @Test(
    arguments: [
      ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
      ("2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500Z"),
      ("2026-01-31T12:00:00.123456Z", "2026-01-31T12:00:00.123456Z"),
      ("2026-01-31t12:00:00.123456789z", "2026-01-31T12:00:00.123456789Z"),
      ("2026-01-31T14:00:00.001+02:00", "2026-01-31T12:00:00.001Z"),
      ("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"),
      ("0001-01-01T00:00:00.1Z", "0001-01-01T00:00:00.100Z"),
      ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
    ]
  )
  func `a custom time is kept to the nanosecond`(text: String, shown: String) throws {
    let json = try JSONParser.parse(Array(#"{"customTime":"\#(text)"}"#.utf8))
    #expect(try AttributesJSON(json).attributes.customTimeText == shown)
  }

  @Test(arguments: [
    (#""abc=""#, ["abc="]), ("abc=", ["abc="]), (#"W/"abc=", "d""#, ["abc=", "d"]), ("*", ["*"]),
    ("", []), ("a,\tb", ["a", "b"]),
  ])
  func `entity tags are quoted or bare`(header: String, tags: [String]) {
    #expect(EntityTags.list(header) == tags)
  }

  @Test(
    arguments: [
      (.ifMatch, true, false), (.ifMatch, false, false), (.ifNoneMatch, true, true),
      (.ifNoneMatch, false, false), (.ifModifiedSince, true, true),
      (.ifModifiedSince, false, false), (.ifUnmodifiedSince, true, false),
      (.ifUnmodifiedSince, false, false), (.ifRange, false, true),
    ] as [(HTTPField.Name, Bool, Bool)]
  )
  func `a condition that a request cannot keep to is refused`(
    name: HTTPField.Name,
    isReading: Bool,
    isTaken: Bool
  ) {
    let headers: HTTPFields = [name: "x"]
    do {
      try headers.refuseConditions(isReading: isReading)
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error.code == .unsupported)
    }
  }

  @Test func `a patch changes what it names, and null takes away`() throws {
    var attributes = ObjectAttributes()
    attributes.contentType = "a/b"
    attributes.cacheControl = "private"
    attributes.metadata = ["keep": "1", "drop": "2"]
    let json = #"{"cacheControl":null,"metadata":{"drop":null,"new":"3"},"generation":"7"}"#
    try AttributesJSON(try JSONParser.parse(Array(json.utf8))).apply(to: &attributes)
    #expect(attributes.contentType == "a/b" && attributes.cacheControl == nil)
    #expect(attributes.metadata == ["keep": "1", "new": "3"])
  }

  @Test func `a batch is read call by call`() throws {
    let body =
      "--b\r\nContent-Type: application/http\r\nContent-ID: <x+1>\r\n\r\n"
      + "PATCH /storage/v1/b/b/o/o HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{}\r\n"
      + "--b\r\nContent-Type: application/http\r\n\r\n"
      + "DELETE https://host/storage/v1/b/b/o/p\r\n\r\n\r\n--b--"
    let calls = try BatchCall.calls(contentType: "multipart/mixed; boundary=b", Array(body.utf8))
    #expect(calls.map(\.target) == ["/storage/v1/b/b/o/o", "/storage/v1/b/b/o/p"])
    #expect(calls.map(\.id) == ["x+1", nil])
    #expect(calls[0].body == Array("{}".utf8) && calls[0].method == .patch)
    let bare = Array(body.replacing("\r\n", with: "\n").utf8)
    let same = try BatchCall.calls(contentType: "multipart/mixed; boundary=b", bare)
    #expect(same.map(\.target) == calls.map(\.target) && same[0].body == calls[0].body)
    #expect(throws: StorageError.self) {
      try BatchCall.calls(contentType: "multipart/mixed; boundary=b", Array("--b\r\n".utf8))
    }
  }
}
