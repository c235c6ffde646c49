import Foundation

/// The same measure on PocketBase: subscribers of its event streams (one connection each, HTTP/1.1)
/// that all receive every change of a collection.
///
/// A change carries its number in the field `code`, as `COD` and eight digits; a subscriber has seen
/// it once those bytes have come.
final class EventStreamRun {
  private let host: String
  private let port: Int
  private let collection: String
  private var poller: Poller
  private var subscribers: [(socket: LoadSocket, unread: [UInt8])] = []
  private var clients: [String] = []
  private let control: LoadSocket
  private let ledger = DeliveryLedger()
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var awaited: [UInt8] = []
  private var awaitedNumber = 0

  /// Connects the writer; `subscribe` the others.
  init(_ target: LoadTarget) throws {
    (host, port, collection) = (target.host, target.port, target.collection)
    poller = try Poller()
    control = try LoadSocket(host: target.host, port: target.port)
    try poller.add(control.descriptor, number: Self.writerNumber)
  }

  /// The number by which the poller knows the writer's connection.
  private static let writerNumber = 1 << 40

  /// Opens the subscribers' streams and subscribes each to the collection.
  func subscribe(_ count: Int) throws {
    for number in 0..<count {
      let socket = try LoadSocket(host: host, port: port)
      subscribers.append((socket, []))
      try poller.add(socket.descriptor, number: number)
      _ = socket.send(
        Array(
          "GET /api/realtime HTTP/1.1\r\nHost: \(host)\r\nAccept: text/event-stream\r\n\r\n".utf8
        )
      )
      if number % 32 == 31 { try takeClients(upTo: number + 1) }
    }
    try takeClients(upTo: count)
    for client in clients {
      let body = "{\"clientId\":\"\(client)\",\"subscriptions\":[\"\(collection)/*\"]}"
      try call("POST", "/api/realtime", body)
    }
  }

  /// Changes one record at a time, each when all have received the last, and returns the times.
  func change(record: String, seconds: Int) throws -> DeliveryLedger {
    let end = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
    while monotonicNanoseconds() < end {
      let number = ledger.begin(expecting: subscribers.count, now: monotonicNanoseconds())
      let code = "COD" + String(repeating: "0", count: 8 - "\(number)".count) + "\(number)"
      (awaited, awaitedNumber) = (Array(code.utf8), number)
      send("PATCH", "/api/collections/\(collection)/records/\(record)", "{\"code\":\"\(code)\"}")
      let deadline = monotonicNanoseconds() + 30_000_000_000
      var answer: [UInt8] = []
      while !ledger.isComplete(number) {
        guard monotonicNanoseconds() < deadline else {
          throw LoadError.refused("change \(number): \(ledger.missingCount) have not heard of it")
        }
        try wait(milliseconds: 100) { index in deliver(index) }
        if try takeAnswer(&answer) { ledger.acknowledge(number, now: monotonicNanoseconds()) }
      }
    }
    return ledger
  }

  private func wait(milliseconds: Int32, _ body: (Int) throws -> Void) throws {
    try poller.wait(milliseconds: milliseconds) { event in
      guard event.number != Self.writerNumber else { return }
      if try read(event.number) { try body(event.number) }
    }
  }

  /// Reads a subscriber's data; false if there is none.
  private func read(_ index: Int) throws -> Bool {
    let count = buffer.withUnsafeMutableBytes { subscribers[index].socket.read(into: $0) }
    guard let count else { throw LoadError.refused("a subscriber was disconnected") }
    subscribers[index].unread.append(contentsOf: buffer[..<count])
    return count > 0
  }

  private func deliver(_ index: Int) {
    guard ByteSearch.first(awaited, in: subscribers[index].unread) != nil else { return }
    subscribers[index].unread.removeAll(keepingCapacity: true)
    ledger.deliver(awaitedNumber, targets: 1, now: monotonicNanoseconds())
  }

  private func takeClients(upTo count: Int) throws {
    let deadline = monotonicNanoseconds() + 60_000_000_000
    let mark = Array("\"clientId\":\"".utf8)
    while clients.count < count {
      guard monotonicNanoseconds() < deadline else { throw LoadError.noAnswer("/api/realtime") }
      try wait(milliseconds: 100) { index in
        let text = subscribers[index].unread
        guard let start = ByteSearch.first(mark, in: text),
          let end = text[(start + mark.count)...].firstIndex(of: UInt8(ascii: "\""))
        else { return }
        clients.append(String(decoding: text[(start + mark.count)..<end], as: UTF8.self))
        subscribers[index].unread = []
      }
    }
  }

  private func send(_ method: String, _ path: String, _ body: String) {
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n"
    _ = control.send(Array((head + body).utf8))
  }

  /// Sends a request and waits for its response.
  private func call(_ method: String, _ path: String, _ body: String) throws {
    send(method, path, body)
    var answer: [UInt8] = []
    while try !takeAnswer(&answer) {}
  }

  /// Reads more of the writer's answer; true once it is whole.
  private func takeAnswer(_ answer: inout [UInt8]) throws -> Bool {
    let count = buffer.withUnsafeMutableBytes { control.read(into: $0) }
    guard let count else { throw LoadError.noAnswer("the writer") }
    answer.append(contentsOf: buffer[..<count])
    guard let end = ByteSearch.first(Array("\r\n\r\n".utf8), in: answer) else { return false }
    let head = String(decoding: answer[..<end], as: UTF8.self)
    guard head.hasPrefix("HTTP/1.1 20") else { throw LoadError.refused(head) }
    let length = head.lowercased().split(separator: "\r\n")
      .first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
    return answer.count >= end + 4 + (length ?? 0)
  }
}
