import FirestoreWire
import Testing

@Suite("gRPC messages out of a body")
struct DeframerTests {
  private static let messages: [[UInt8]] = [[], [1, 2, 3], Array(repeating: 7, count: 300)]
  private static let body = messages.flatMap(GRPCFraming.frame)

  @Test func `any two cuts give the same messages`() throws {
    for first in 0...Self.body.count {
      for second in stride(from: first, through: Self.body.count, by: 17) {
        var deframer = GRPCMessageDeframer(maximumSize: 300)
        var messages: [[UInt8]] = []
        let pieces = [Self.body[..<first], Self.body[first..<second], Self.body[second...]]
        for piece in pieces {
          deframer.append(Array(piece))
          while let message = try deframer.next() { messages.append(message) }
        }
        try deframer.finish()
        try #require(messages == Self.messages, "cut at \(first) and \(second)")
      }
    }
  }

  @Test func `byte by byte`() throws {
    var deframer = GRPCMessageDeframer(maximumSize: 300)
    var messages: [[UInt8]] = []
    for byte in Self.body {
      deframer.append([byte])
      while let message = try deframer.next() { messages.append(message) }
    }
    #expect(messages == Self.messages)
    #expect(deframer.bufferedBytes == 0)
  }

  @Test func `a length beyond the limit is refused before its message comes`() {
    var deframer = GRPCMessageDeframer(maximumSize: 10)
    deframer.append([0, 0, 0, 0, 11])
    expectError("Request payload size exceeds the limit: 10 bytes.") {
      try deframer.next()
    }
    deframer.append([UInt8](repeating: 0, count: 100))
    #expect(deframer.bufferedBytes == 0)
    expectError("Request payload size exceeds the limit: 10 bytes.") {
      try deframer.next()
    }
  }

  @Test func `compression, other flags and a cut-off end`() throws {
    var compressed = GRPCMessageDeframer(maximumSize: 10)
    compressed.append([1])
    expectError(
      "Compressed messages are not supported. Send messages with the identity encoding.",
      code: .unimplemented
    ) { try compressed.next() }
    var strange = GRPCMessageDeframer(maximumSize: 10)
    strange.append([2])
    expectError("Invalid compression flag in a message.", code: .internalError) {
      try strange.next()
    }
    var cut = GRPCMessageDeframer(maximumSize: 10)
    cut.append([0, 0, 0, 0, 2, 1])
    #expect(try cut.next() == nil)
    expectError("The request ended inside a message.", code: .internalError) { try cut.finish() }
  }
}

extension GRPCMessageDeframer {
  fileprivate mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }
}
