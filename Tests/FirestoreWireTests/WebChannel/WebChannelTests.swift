import BaseStatus
import FirestoreWire
import ModelTestSupport
import Testing

@Suite("WebChannel without sockets")
struct WebChannelTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("漢字", 2), ("🔥", 2), ("a🔥é", 4), ("\u{FFFD}\u{10000}", 3),
  ])
  func `lengths are UTF-16's`(text: String, length: Int) {
    #expect(WebChannelFrame.utf16Length(Array(text.utf8)) == length)
    #expect(text.utf16.count == length)
    #expect(WebChannelFrame.frame(Array(text.utf8)) == Array("\(length)\n\(text)".utf8))
  }

  @Test func `the opening names the session and the keep-alive`() {
    let frame = WebChannelPayload.opening(sessionID: "SID", keepAlive: .seconds(30))
    #expect(String(decoding: frame, as: UTF8.self) == "31\n[[0,[\"c\",\"SID\",\"\",8,14,30000]]]")
  }

  // MARK: Requests

  @Test func `a form has its messages in order and its headers`() throws {
    let body =
      "headers=Authorization%3ABearer%20x%3Ay%0D%0AContent-Type:text/plain%0D%0A&count=2&ofs=7"
      + "&req1___data__=%7B%22b%22%3A1%7D&req0___data__=a+b%F0%9F%94%A5"
    let form = try WebChannelForm(Array(body.utf8))
    #expect(form.offset == 7)
    #expect(form.maps == [Array("a b🔥".utf8), Array("{\"b\":1}".utf8)])
    #expect(form.headers["authorization"] == "Bearer x:y")
    #expect(form.headers["content-TYPE"] == "text/plain")
    #expect(form.headers["x-none"] == nil)
  }

  @Test func `parameters`() throws {
    let query = "VER=8&SID=s&RID=rpc&AID=12&CI=1&TO=5000&TYPE=xmlhttp&gsessionid=g&database=p%2Fd"
    let parameters = try WebChannelParameters(query)
    #expect(parameters.sessionID == "s")
    #expect(parameters.affinity == "g")
    #expect(parameters.acknowledged == 12)
    #expect(parameters.isLongPoll)
    #expect(parameters.timeout == .seconds(5))
    #expect(!parameters.isTermination)
    #expect(parameters.database == "p/d")
    #expect(try WebChannelParameters("SID=null").sessionID == nil)
    #expect(try WebChannelParameters("TYPE=terminate&SID=s").isTermination)
  }

  /// Numbers that overflow where somebody adds or subtracts, and texts that are none.
  private static let hostileNumbers = [
    "-9223372036854775808", "9223372036854775807", "-9223372036854775807", "-2",
    "18446744073709551616", "-170141183460469231731687303715884105728", "1e5", "0x10", "", "null",
    "4611686018427387904",
  ]

  @Test(arguments: hostileNumbers)
  func `a number that no client of WebChannel sends is refused where it is read`(number: String) {
    for query in ["AID=\(number)", "TO=\(number)"] {
      #expect(throws: ServiceError.self, "\(query)") { try WebChannelParameters(query) }
    }
    for form in ["count=\(number)", "count=1&ofs=\(number)", "req\(number)___data__=x"] {
      #expect(throws: ServiceError.self, "\(form)") { try WebChannelForm(Array(form.utf8)) }
    }
  }

  @Test func `a client that has no array yet says -1`() throws {
    #expect(try WebChannelParameters("AID=-1").acknowledged == -1)
    #expect(try WebChannelParameters("AID=0").acknowledged == 0)
  }

  @Test func `a form's fields beyond those of its maps are refused or cost nothing`() throws {
    let form = try WebChannelForm(Array("&&&a=%zz&req_type=x&=&count=1&req0___data__=x&".utf8))
    #expect(form.maps == [Array("x".utf8)])
    #expect(throws: ServiceError.self) {
      try WebChannelForm(Array("count=1&req1000___data__=x".utf8))
    }
    let large = String(repeating: "a:b%0A", count: 20_000)
    #expect(throws: ServiceError.self) { try WebChannelForm(Array("headers=\(large)".utf8)) }
  }

  // MARK: Messages of the client

  private static func form(_ offset: Int, _ maps: [String]) throws -> WebChannelForm {
    let fields = maps.enumerated().map { "&req\($0)___data__=\($1)" }.joined()
    return try WebChannelForm(Array("count=\(maps.count)&ofs=\(offset)\(fields)".utf8))
  }

  @Test func `every order of requests, each sent twice, gives each message once and in order`()
    throws
  {
    let requests = [(0, ["a"]), (1, ["b", "c"]), (3, []), (3, ["d"]), (4, ["e", "f"])]
    for order in permutations(Array(0..<5)) {
      var inbox = WebChannelInbox(maximumHeldBytes: 10_000)
      var received: [String] = []
      for index in order + order {
        let form = try Self.form(requests[index].0, requests[index].1)
        received += try inbox.receive(form).map { String(decoding: $0, as: UTF8.self) }
      }
      try #require(received == ["a", "b", "c", "d", "e", "f"], "\(order)")
    }
  }

  @Test func `too much that comes too early is refused`() throws {
    var inbox = WebChannelInbox(maximumHeldBytes: 1_000)
    let large = String(repeating: "x", count: 500)
    #expect(try inbox.receive(Self.form(1, [large])).isEmpty)
    #expect(throws: ServiceError.self) { try inbox.receive(Self.form(2, [large])) }
  }

  @Test func `what comes again before its turn is the same`() throws {
    var inbox = WebChannelInbox(maximumHeldBytes: 1_000)
    let large = String(repeating: "x", count: 2_000)
    for again in ["b", large, large] { _ = try inbox.receive(Self.form(1, [again])) }
    let received = try inbox.receive(Self.form(0, ["a"]))
    #expect(received.map { String(decoding: $0, as: UTF8.self) } == ["a", "b"])
    // It counts as before.
    #expect(throws: ServiceError.self) { try inbox.receive(Self.form(3, [large])) }
  }

  // MARK: Arrays to the client

  private func text(
    _ outbox: WebChannelOutbox,
    after number: Int,
    maxBytes: Int = 10_000
  ) throws -> String {
    let items = outbox.items(after: number, maxBytes: maxBytes)
    guard !items.isEmpty else { return "" }
    let frames = try WebChannelFrame.frames(items) { Array("{\"m\":\($0.count)}".utf8) }
    return String(decoding: frames, as: UTF8.self)
  }

  @Test func `arrays keep their numbers until they are acknowledged`() throws {
    var outbox = WebChannelOutbox()
    outbox.append(.message([1, 2, 3]))
    outbox.append(WebChannelPayload.noop)
    outbox.append(WebChannelPayload.close)
    #expect(outbox.last == 3)
    #expect(
      try text(outbox, after: 0) == "15\n[[1,[{\"m\":3}]]]14\n[[2,[\"noop\"]]]15\n[[3,[\"close\"]]]"
    )
    #expect(try text(outbox, after: 2) == "15\n[[3,[\"close\"]]]")
    #expect(try text(outbox, after: 3) == "")
    #expect(outbox.bytes == 3 + 8 + 9)
    outbox.acknowledge(through: 1)
    #expect(outbox.bytes == 8 + 9)
    #expect(try text(outbox, after: 0) == "14\n[[2,[\"noop\"]]]15\n[[3,[\"close\"]]]")
    #expect(outbox.bytes(through: 2) == 8)
    outbox.acknowledge(through: 3)
    #expect(outbox.bytes == 0)
    outbox.append(.message([]))
    #expect(try text(outbox, after: 3) == "15\n[[4,[{\"m\":0}]]]")
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, 0, 4, 5, 6, Int.max - 1, Int.max])
  func `arrays after any number are those that a list has`(number: Int) {
    var outbox = WebChannelOutbox()
    for _ in 0..<9 { outbox.append(WebChannelPayload.noop) }
    outbox.acknowledge(through: 4)
    #expect(
      outbox.items(after: number, maxBytes: .max).map(\.number) == (5...9).filter { $0 > number }
    )
    #expect(outbox.bytes(through: number) == (5...9).filter { $0 <= number }.count * 8)
  }

  @Test func `at least one array is taken and about the bytes asked for`() throws {
    var outbox = WebChannelOutbox()
    for _ in 0..<10 { outbox.append(.json(Array(repeating: 0x31, count: 100))) }
    #expect(outbox.items(after: 0, maxBytes: 1).map(\.number) == [1])
    #expect(outbox.items(after: 3, maxBytes: 250).map(\.number) == [4, 5, 6])
  }

  @Test func `a plain list agrees over random appends and acknowledgements`() throws {
    var random = SystemRandomNumberGenerator()
    let seed = random.next()
    var generator = SeededSource(seed: seed)
    var outbox = WebChannelOutbox()
    var expected: [(Int, Int)] = []
    for step in 0..<3_000 {
      if Bool.random(using: &generator) {
        let size = Int.random(in: 0..<50, using: &generator)
        outbox.append(.json([UInt8](repeating: 0x31, count: size)))
        expected.append((outbox.last, size))
      } else {
        let number = Int.random(in: 0...outbox.last, using: &generator)
        outbox.acknowledge(through: number)
        expected.removeAll { $0.0 <= number }
      }
      let after = Int.random(in: 0...outbox.last, using: &generator)
      let numbers = outbox.items(after: after, maxBytes: .max).map(\.number)
      try #require(
        numbers == expected.map(\.0).filter { $0 > after },
        "step \(step), seed \(seed)"
      )
      try #require(outbox.bytes == expected.reduce(0) { $0 + $1.1 })
    }
  }
}

private func permutations(_ items: [Int]) -> [[Int]] {
  guard let first = items.first else { return [[]] }
  return permutations(Array(items.dropFirst())).flatMap { rest in
    (0...rest.count).map { offset in
      var copy = rest
      copy.insert(first, at: offset)
      return copy
    }
  }
}
