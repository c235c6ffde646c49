import Foundation

/// Streams of new versions, a connection each, and how long a publish takes to reach the last of them.
final class ConfigStreamRun {
  private let target: ConfigTarget
  private var poller: Poller
  private var streams: [LoadSocket] = []
  /// The bytes that came on a stream since the last version, as far as they may still be of
  /// interest.
  private var unread: [[UInt8]] = []
  private var awaiting: Set<Int> = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private let ledger = DeliveryLedger()

  /// Bytes of a stream that are kept: more than a message has.
  private static let kept = 4_096
  private static let batch = 64

  init(_ target: ConfigTarget) throws {
    self.target = target
    poller = try Poller()
  }

  /// Opens streams that know the version, some at a time.
  func open(_ count: Int, after version: Int) throws {
    let head = target.stream(after: version)
    guard case .bytes(let body) = head.body else { return }
    let request = head.head(target.server) + body
    for number in 0..<count {
      let socket = try LoadSocket(host: target.server.host, port: target.server.port)
      streams.append(socket)
      unread.append([])
      try poller.add(socket.descriptor, number: number)
      guard socket.send(request) else { throw LoadError.refused("a stream was closed") }
      awaiting.insert(number)
      if number % Self.batch == Self.batch - 1 {
        try wait(for: Array("HTTP/1.1 200".utf8)) { _ in }
      }
    }
    try wait(for: Array("HTTP/1.1 200".utf8)) { _ in }
  }

  /// Publishes a template and returns when every stream has received its version.
  func publish(_ template: String) throws {
    let number = ledger.begin(expecting: streams.count, now: monotonicNanoseconds())
    awaiting = Set(streams.indices)
    for index in unread.indices { unread[index].removeAll(keepingCapacity: true) }
    let answer = try FileRun.call(target.publish(template), to: target.server)
    guard answer.status == 200 else { throw LoadError.refused(answer.errorName) }
    ledger.acknowledge(number, now: monotonicNanoseconds())
    let version = try Self.version(in: answer.body)
    try wait(for: Array("\"\(version)\"".utf8)) { now in
      ledger.deliver(number, targets: 1, now: now)
    }
  }

  /// The deliveries of the published versions.
  var deliveries: DeliveryLedger { ledger }

  /// The version that a publish's answer names.
  static func version(in body: [UInt8]) throws -> Int {
    let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    let version = json?["version"] as? [String: Any]
    guard let number = (version?["versionNumber"] as? String).flatMap({ Int($0) }) else {
      throw LoadError.refused("an answer without a version")
    }
    return number
  }

  /// Waits until the text has come on every stream that is awaited.
  private func wait(for text: [UInt8], _ body: (Int64) -> Void) throws {
    let deadline = monotonicNanoseconds() + 60_000_000_000
    while !awaiting.isEmpty {
      guard monotonicNanoseconds() < deadline else {
        throw LoadError.refused("\(awaiting.count) streams have not heard")
      }
      var ready: [Int] = []
      try poller.wait(milliseconds: 100) { ready.append($0.number) }
      for number in ready where try read(number, text) { body(monotonicNanoseconds()) }
    }
  }

  /// Reads the data of a stream; true if the text appears for the first time.
  private func read(_ number: Int, _ text: [UInt8]) throws -> Bool {
    let count = buffer.withUnsafeMutableBytes { streams[number].read(into: $0) }
    guard let count else { throw LoadError.refused("a stream was closed") }
    unread[number] += buffer[..<count]
    let hasText = String(decoding: unread[number], as: UTF8.self)
      .contains(String(decoding: text, as: UTF8.self))
    if unread[number].count > Self.kept {
      unread[number].removeFirst(unread[number].count - Self.kept)
    }
    guard hasText else { return false }
    return awaiting.remove(number) != nil
  }
}
