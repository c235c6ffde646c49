import Testing

@testable import StorageWire

/// Bodies of several parts, however they are cut on their way.
struct MultipartTests {
  private static let upload = lines([
    "before", "--b", "Content-Type: application/json", "", #"{"name":"a"}"#, "--b",
    "content-type:image/png", "X-Empty:", "", "\r\n--c\r\n\r\n-b-", "-", "--b--", "after",
  ])

  private static func lines(_ lines: [String]) -> [UInt8] {
    Array(lines.joined(separator: "\r\n").utf8)
  }

  /// A part as it was read.
  private struct Part: Equatable {
    var headers: [String: String]
    var content = ""
    var hasEnded = false
  }

  private static func read(
    _ body: [UInt8],
    boundary: String = "b",
    chunk: Int = .max
  ) throws -> [Part] {
    var reader = try MultipartReader(boundary: boundary)
    var parts: [Part] = []
    var hasEnded = false
    var rest = body[...]
    while !rest.isEmpty {
      for event in try reader.read(rest.prefix(chunk)) {
        switch event {
        case .part(let headers):
          parts.append(Part(headers: Dictionary(headers.map { ($0.name, $0.value) }) { $1 }))
        case .content(let bytes):
          #expect(!bytes.isEmpty && !parts[parts.count - 1].hasEnded)
          parts[parts.count - 1].content += String(decoding: bytes, as: UTF8.self)
        case .partEnd: parts[parts.count - 1].hasEnded = true
        case .end: hasEnded = true
        }
      }
      rest = rest.dropFirst(chunk)
    }
    try reader.finish()
    #expect(hasEnded && parts.allSatisfy(\.hasEnded))
    return parts
  }

  @Test func `parts are the same however the body is cut`() throws {
    let expected = [
      Part(
        headers: ["content-type": "application/json"],
        content: #"{"name":"a"}"#,
        hasEnded: true
      ),
      Part(
        headers: ["content-type": "image/png", "x-empty": ""],
        content: "\r\n--c\r\n\r\n-b-\r\n-",
        hasEnded: true
      ),
    ]
    for chunk in 1...Self.upload.count {
      #expect(try Self.read(Self.upload, chunk: chunk) == expected)
    }
  }

  @Test(arguments: [
    ("--b\r\n\r\n\r\n--b--", [""]), ("--b  \r\n\r\nx\r\n--b--  \r\n", ["x"]), ("--b--", []),
    ("--b\r\n\r\n--b--", [""]), ("--b\r\n\nx\r\n--b--", ["x"]),
    ("--b\r\n\r\n\r\n\r\n--b--", ["\r\n"]),
    ("--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--", ["x", "y"]), ("--b\r\n\r\n\r\r\n--b--", ["\r"]),
  ])
  func `content is what is between the line ends`(body: String, contents: [String]) throws {
    for chunk in [1, 2, 3, .max] {
      #expect(try Self.read(Array(body.utf8), chunk: chunk).map(\.content) == contents)
    }
  }

  @Test(arguments: [
    ("--b\n\nx\n--b--", ["x"]), ("--b\n\n\n--b--\n", [""]), ("--b\n\n--b--", [""]),
    ("before\n--b\nA: b\n\nx\n--b\n\ny\n--b--", ["x", "y"]),
    // What is before a bare line end is content, whatever it is, as it is with whole ones.
    ("--b\n\nx\r\n--b--", ["x\r"]), ("--b\n\n\r\n\n--b--", ["\r\n"]),
    ("--b\r\n\r\nx\n--b\r\n--b--", ["x\n--b"]),
  ])
  func `lines of delimiters end as the first one does`(body: String, contents: [String]) throws {
    for chunk in [1, 2, 3, .max] {
      #expect(try Self.read(Array(body.utf8), chunk: chunk).map(\.content) == contents)
    }
  }

  @Test func `all bytes come through a body of either form as they are`() throws {
    var contents: [[UInt8]] = [[]]
    for length in 0..<5 {
      contents += contents.filter { $0.count == length }.flatMap { content in
        ([0x0A, 0x0D, 0x2D, 0x62, 0x00] as [UInt8]).map { content + [$0] }
      }
    }
    #expect(contents.count == 3_906)
    for content in contents {
      for end in [Array("\n".utf8), Array("\r\n".utf8)] {
        let delimiter = end + Array("--b".utf8)
        // Content with a delimiter of its own is another body.
        if (end + content).contains(delimiter) { continue }
        var reader = try MultipartReader(boundary: "b")
        var read: [UInt8] = []
        for event in try reader.read(delimiter.dropFirst(end.count) + end + end + content) {
          if case .content(let bytes) = event { read += bytes }
        }
        for event in try reader.read(delimiter + Array("--".utf8)) {
          if case .content(let bytes) = event { read += bytes }
        }
        #expect(read == content, "lines end with \(end.count) bytes")
      }
    }
  }

  @Test(arguments: [
    ("", MultipartReader.Problem.truncated), ("x", .truncated), ("--b", .truncated),
    ("--b\r\n", .truncated), ("--b\r\nA: b\r\n\r\nx\r\n--b\r\n", .truncated),
    ("--b\r\nA: b\r\n\r\nx", .truncated), ("--bc\r\n\r\nx\r\n--bc--", .malformedHead),
    ("--b\r\nno colon\r\n\r\nx\r\n--b--", .malformedHead),
    ("--b\r\n: no name\r\n\r\nx\r\n--b--", .malformedHead),
    ("--b\r\na b: c\r\n\r\nx\r\n--b--", .malformedHead),
  ])
  func `what is no such body is refused`(body: String, problem: MultipartReader.Problem) {
    for chunk in [1, .max] {
      #expect(throws: problem) { try Self.read(Array(body.utf8), chunk: chunk) }
    }
  }

  @Test func `a head, the number of headers and of parts are bounded`() throws {
    let long = Self.lines(["--b", "a: \(String(repeating: "x", count: 17_000))", "", "--b--"])
    let many = Self.lines(["--b"] + (0..<65).map { "a\($0): b" } + ["", "--b--"])
    for (body, problem) in [(long, MultipartReader.Problem.headTooLarge), (many, .headTooLarge)] {
      #expect(throws: problem) { try Self.read(body) }
      #expect(throws: problem) { try Self.read(body, chunk: 100) }
    }
    let parts = Array(String(repeating: "--b\r\n\r\n\r\n", count: 1_001).utf8)
    #expect(throws: MultipartReader.Problem.tooManyParts) { try Self.read(parts) }
    let endless = [UInt8](repeating: 0x20, count: 1_000)
    #expect(throws: MultipartReader.Problem.malformedHead) {
      try Self.read(Array("--b".utf8) + endless)
    }
  }

  @Test func `content is passed on and not collected`() throws {
    var reader = try MultipartReader(boundary: "b")
    _ = try reader.read(Array("--b\r\n\r\n".utf8))
    let block = [UInt8](repeating: 0x0D, count: 10_000)
    var count = 0
    for _ in 0..<10 {
      for case .content(let bytes) in try reader.read(block) { count += bytes.count }
      // No more is held back than may be the beginning of a delimiter.
      #expect(count.isMultiple(of: 10_000) || (count + 1).isMultiple(of: 10_000))
    }
  }

  @Test(arguments: [
    ("multipart/related; boundary=b", true),
    (#"Multipart/Form-Data; charset=x; BOUNDARY="b""#, true),
    ("multipart/related; boundary='b'", true), ("multipart/related", false), ("", false),
    ("text/plain; boundary=b", false), ("multipart/related; boundary=", false),
    (#"multipart/related; boundary="b"#, false),
    ("multipart/related; boundary=b; boundary=c", false),
  ])
  func `the boundary is in the type`(type: String, isGood: Bool) {
    let reader = try? MultipartReader(contentType: type)
    #expect((reader != nil) == isGood)
  }

  @Test(arguments: ["b", "'b'", #""b""#, #""'b'""#])
  func `quotes around a boundary are no part of it`(boundary: String) throws {
    var reader = try MultipartReader(contentType: "multipart/related; boundary=\(boundary)")
    #expect(try reader.read(Array("--b\n\nx\n--b--".utf8)).last == .end)
  }

  @Test(arguments: [
    (#"form-data; name="a\"b;c"; filename=x"#, ["name": #"a"b;c"#, "filename": "x"]),
    ("form-data;name = a ; ", ["name": "a"]), ("form-data", [:]),
  ])
  func `parameters are quoted or not`(text: String, parameters: [String: String]) {
    #expect(MediaType(text)?.name == "form-data")
    #expect(MediaType(text)?.parameters == parameters)
  }

  @Test(arguments: [
    "a; b", "a; =b", #"a; b="c"#, #"a; b="c\"#, "a; b=c; b=d", #"a; b="c" d"#, " ;a=b",
  ])
  func `malformed parameters are none`(text: String) { #expect(MediaType(text) == nil) }
}
