import Testing

@testable import brasa_load

@Suite struct FrameCodecTests {
  @Test func `a frame's head comes back as it was written`() {
    var bytes: [UInt8] = []
    FrameCodec.append(
      FrameCodec.Kind.data,
      flags: 1,
      [UInt8](repeating: 7, count: 70_000),
      on: 0x0102_0305,
      to: &bytes
    )
    let head = bytes.withUnsafeBytes { FrameCodec.Head($0) }
    #expect(bytes.count == 70_000 + FrameCodec.Head.size)
    #expect(head.length == 70_000)
    #expect(head.kind == FrameCodec.Kind.data)
    #expect(head.hasFirstFlag && !head.isPadded)
    #expect(head.stream == 0x0102_0305)
  }

  @Test(arguments: [1, 126, 127, 128, 254, 255, 300, 8_000])
  func `headers can be read by a decoder of somebody else`(length: Int) throws {
    let token = String(repeating: "x", count: length)
    let target = LoadTarget(
      host: "h",
      port: 1,
      database: "projects/p/databases/d",
      collection: "c",
      token: token
    )
    let block = FrameCodec.callHeaders(path: "/a/B", target: target)
    let fields = try #require(block.withUnsafeBytes { FrameCodec.fields(ofBlock: $0) })
    #expect(fields.first(name: ":path") == "/a/B")
    #expect(fields.first(name: ":authority") == "h:1")
    #expect(fields.first(name: "authorization") == "Bearer \(token)")
  }
}
