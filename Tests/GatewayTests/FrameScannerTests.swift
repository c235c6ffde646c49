import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

@Suite struct FrameScannerTests {
  private static let window = RawClient.frame(type: 8, flags: 0, stream: 5, [0x80, 0, 1, 2])
  private static let settings = RawClient.frame(
    type: 4,
    flags: 0,
    stream: 0,
    [0, 4, 0, 0, 1, 0, 0, 3, 0, 0, 0, 9, 0, 5, 0, 1, 0, 0]
  )

  /// Returns the frames that a scanner finds in those pieces, other bytes joined.
  private static func scan(_ pieces: [[UInt8]]) -> (others: [UInt8], found: [String]) {
    var scanner = FrameScanner()
    var others: [UInt8] = []
    var found: [String] = []
    for piece in pieces {
      scanner.append(ByteBuffer(bytes: piece))
      while let next = scanner.next() {
        switch next {
        case .other(let bytes): others += Array(bytes.readableBytesView)
        case .windowUpdate(let id, let increment, let frame):
          found.append("window \(Int(id)) \(increment) \(frame.readableBytes) @\(others.count)")
        case .settings(let settings, _):
          found.append(
            "settings \(settings.initialWindow ?? -1) \(settings.frameBytes ?? -1) @\(others.count)"
          )
        }
      }
    }
    return (others, found)
  }

  @Test func `what says how much the client takes is found between other frames`() {
    let head = RawClient.headers(stream: 5, RawClient.call("Listen"))
    let data = RawClient.frame(type: 0, flags: 0, stream: 5, Self.window)
    let all = [RawClient.preface, Self.settings, head, Self.window, data, Self.window]
    let bytes = Array(all.joined())
    let offsets = [24, 24 + head.count, 24 + head.count + data.count]
    let expected = [
      "settings 256 65536 @\(offsets[0])", "window 5 258 13 @\(offsets[1])",
      "window 5 258 13 @\(offsets[2])",
    ]
    #expect(Self.scan([bytes]).found == expected)
    #expect(Self.scan(bytes.map { [$0] }).found == expected)
    #expect(Self.scan([bytes]).others == RawClient.preface + head + data)
  }

  @Test(arguments: [
    RawClient.frame(type: 8, flags: 0, stream: 1, [0, 0, 1]),
    RawClient.frame(type: 8, flags: 0, stream: 1, [0, 0, 0, 1, 1]),
    RawClient.frame(type: 4, flags: 1, stream: 0, []),
    RawClient.frame(type: 4, flags: 0, stream: 3, [0, 4, 0, 0, 0, 1]),
    RawClient.frame(type: 4, flags: 0, stream: 0, [0, 4, 0, 0, 0]),
  ])
  func `what is malformed is left to the HTTP2 layer`(frame: [UInt8]) {
    let scanned = Self.scan([RawClient.preface, frame])
    #expect(scanned.found.isEmpty)
    #expect(scanned.others == RawClient.preface + frame)
  }

  @Test func `settings beyond what is allowed say nothing`() {
    let frame = RawClient.frame(
      type: 4,
      flags: 0,
      stream: 0,
      [0, 4, 0x80, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 5, 1, 0, 0, 0]
    )
    #expect(Self.scan([RawClient.preface, frame]).found == ["settings -1 -1 @24"])
  }

  @Test(arguments: [UInt64](1...50))
  func `cuts change nothing`(seed: UInt64) {
    var random = SplitMix(state: seed)
    var bytes = RawClient.preface
    for _ in 0..<40 {
      switch random.next() % 4 {
      case 0: bytes += Self.window
      case 1: bytes += Self.settings
      default:
        let payload = [UInt8](repeating: 8, count: Int(random.next() % 60))
        let type = UInt8(truncatingIfNeeded: random.next())
        bytes += RawClient.frame(type: type, flags: 0, stream: 7, payload)
      }
    }
    let whole = Self.scan([bytes])
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = 1 + Int(random.next() % 30)
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let cut = Self.scan(pieces)
    #expect(cut.others == whole.others, "seed \(seed)")
    #expect(cut.found == whole.found, "seed \(seed)")
  }

  @Test func `streams that are opened are handed on one by one, and what they cost is counted`() {
    let head = RawClient.headers(stream: 1, RawClient.call("Listen"))
    let data = RawClient.frame(type: 0, flags: 0, stream: 1, [1])
    var scanner = FrameScanner()
    scanner.append(ByteBuffer(bytes: RawClient.preface + head + data + head + head + data))
    var sizes: [Int] = []
    while case .other(let bytes)? = scanner.next() { sizes.append(bytes.readableBytes) }
    #expect(sizes == [24, head.count + data.count, head.count, head.count + data.count])
    #expect(!scanner.hasUnread)
    #expect(scanner.cost == 3 * UnservedRequestCredit.request + 2)
    scanner.append(ByteBuffer(bytes: (0..<100).flatMap { _ in data }))
    sizes = []
    while case .other(let bytes)? = scanner.next() { sizes.append(bytes.readableBytes) }
    #expect(sizes.reduce(0, +) == 100 * data.count)
    #expect(sizes.allSatisfy { $0 <= 32 * data.count })
    let large = RawClient.frame(type: 0, flags: 0, stream: 1, [UInt8](repeating: 1, count: 1 << 10))
    let cost = scanner.cost
    scanner.append(ByteBuffer(bytes: large + data))
    while scanner.next() != nil {}
    #expect(scanner.cost == cost + 1)
  }
}
