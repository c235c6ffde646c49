import ModelTestSupport
import NIOCore
import Testing

@testable import Gateway

/// Whatever bytes a connection brings are read or refused, and never end the process.
@Suite struct FrameFuzzTests {
  private static let hello = RawClient.preface + RawClient.settings
  private static let settings = RawClient.frame(
    type: 4,
    flags: 0,
    stream: 0,
    [0, 4, 0, 0, 1, 0, 0, 3, 0, 0, 0, 9, 0, 5, 0, 1, 0, 0]
  )

  private static let examples: [[UInt8]] = {
    let call = RawClient.headers(stream: 1, RawClient.call("Write"))
    let message = RawClient.frame(type: 0, flags: 0, stream: 1, framed([1, 2, 3]))
    let last = RawClient.frame(type: 0, flags: 1, stream: 1, framed([1, 2, 3]))
    let timeout = RawClient.headers(
      stream: 3,
      RawClient.call("Commit") + [("grpc-timeout", "99999999H")]
    )
    let windows =
      FrameReader.window(0, 1 << 20) + FrameReader.window(1, 1 << 20)
      + FrameReader.window(1, 0x7FFF_FFFF)
    let ends =
      RawClient.frame(type: 3, flags: 0, stream: 1, [0, 0, 0, 8])
      + RawClient.frame(type: 6, flags: 0, stream: 0, [UInt8](repeating: 7, count: 8))
      + RawClient.frame(type: 7, flags: 0, stream: 0, [UInt8](repeating: 0, count: 8))
    let channel = RawClient.headers(
      stream: 5,
      [
        (":method", "POST"), (":scheme", "http"), (":authority", "a"),
        (":path", "/google.firestore.v1.Firestore/Write/channel?VER=8&RID=1"),
        ("content-length", "7"),
      ]
    )
    let form = RawClient.frame(type: 0, flags: 1, stream: 5, Array("count=0".utf8))
    return [
      hello + call + message + windows, hello + settings + call + last + windows,
      hello + timeout + ends, hello + windows + channel + form,
      hello + RawClient.frame(type: 0, flags: 9, stream: 1, [200] + framed([1])),
    ]
  }()

  @Test func `frames as the scanner finds them, and messages as they are collected`() throws {
    var fuzzer = Fuzzer("scanner", slowCount: 1_500_000, examples: Self.examples)
    try fuzzer.run { input in
      var scanner = FrameScanner()
      var passed = 0
      let cut = input.count / 2
      for piece in [input[..<cut], input[cut...]] {
        scanner.append(ByteBuffer(bytes: piece))
        while let next = scanner.next() {
          switch next {
          case .other(let bytes): passed += bytes.readableBytes
          case .windowUpdate(_, _, let frame), .settings(_, let frame):
            passed += frame.readableBytes
          }
        }
      }
      try #require(passed <= input.count)
      var message = GRPCMessageBuffer(limit: 1_000)
      try? message.append(ByteBuffer(bytes: input.dropFirst(cut)))
      _ = try? message.message()
    }
  }

  /// Ways to end a connection that the server must survive: sent to one in pieces, then cut off.
  @Test func `connections of any bytes, while another is served`() async throws {
    try await withGateway { gateway in
      var fuzzer = Fuzzer("connections", slowCount: 20_000, examples: Self.examples)
      try await fuzzer.run { input in
        let client = try await RawClient.connect(to: gateway.port)
        try? await client.send(Array(input.prefix(60)))
        try? await client.send(Array(input.dropFirst(60)))
        try? await client.channel.close()
      }
      let answer = try await RawClient.exchange(
        "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 200"))
    }
  }
}
