import BaseStatus

/// The arrays that a WebChannel server sends, kept until the client has acknowledged them.
///
/// Arrays are numbered over the whole session without a restart; number 0 is the response that
/// opened it. A back channel sends the arrays after the last one that its client has, so the next
/// channel repeats those that a broken one lost.
package struct WebChannelOutbox: Sendable {
  /// The payload of an array.
  package enum Payload: Sendable {
    /// JSON as it is sent.
    case json([UInt8])
    /// A protobuf message; it becomes JSON when it is sent.
    case message([UInt8])

    var size: Int {
      switch self {
      case .json(let bytes), .message(let bytes): bytes.count
      }
    }
  }

  /// One array.
  package struct Item: Sendable {
    /// The array's number in its session, from 1 on.
    package let number: Int
    /// The array's content.
    package let payload: Payload
  }

  private var items: [Item] = []
  /// The index of the first item that is still wanted.
  private var start = 0
  /// The number of the newest array.
  package private(set) var last = 0
  /// The payload bytes that wait to be acknowledged.
  package private(set) var bytes = 0

  /// The number of arrays that wait to be acknowledged.
  package var count: Int { items.count - start }

  /// Nothing but the opening array.
  package init() {}

  /// Queues an array.
  package mutating func append(_ payload: Payload) {
    last += 1
    bytes += payload.size
    items.append(Item(number: last, payload: payload))
  }

  /// The client has all arrays up to that number.
  package mutating func acknowledge(through number: Int) {
    while start < items.count, items[start].number <= number {
      bytes -= items[start].payload.size
      start += 1
    }
    if start == items.count {
      items = []
      start = 0
    } else if start > 64, start > items.count / 2 {
      items.removeSubrange(..<start)
      start = 0
    }
  }

  /// The arrays after that number, about as many bytes and at least one; empty where there are
  /// none.
  package func items(after number: Int, maxBytes: Int) -> ArraySlice<Item> {
    let first = position(after: number)
    var end = first
    var size = 0
    while end < items.count, size < maxBytes {
      size += max(1, items[end].payload.size)
      end += 1
    }
    return items[first..<end]
  }

  /// The payload bytes up to that number that wait to be acknowledged.
  package func bytes(through number: Int) -> Int {
    items[start..<position(after: number)].reduce(0) { $0 + $1.payload.size }
  }

  /// Returns the index at which the wanted items after that number begin; any number is one that a
  /// client may name.
  private func position(after number: Int) -> Int {
    guard start < items.count, number < last else { return items.count }
    let first = items[start].number
    return number < first ? start : start + (number - first) + 1
  }
}

extension WebChannelFrame {
  /// Arrays, a frame each; `json` writes a message.
  ///
  /// Clients drop an incomplete frame, so that the data of a broken connection counts only if
  /// frames are small.
  package static func frames(
    _ items: some Sequence<WebChannelOutbox.Item>,
    json: ([UInt8]) throws(ServiceError) -> [UInt8]
  ) throws(ServiceError) -> [UInt8] {
    var frames: [UInt8] = []
    for item in items {
      var text = Array("[[\(item.number),".utf8)
      switch item.payload {
      case .json(let bytes): text += bytes
      case .message(let bytes):
        text.append(UInt8(ascii: "["))
        text += try json(bytes)
        text.append(UInt8(ascii: "]"))
      }
      text += Array("]]".utf8)
      frames += frame(text)
    }
    return frames
  }
}

/// The payloads of arrays that are not messages.
package enum WebChannelPayload {
  /// Keeps a connection alive and says nothing.
  package static let noop = WebChannelOutbox.Payload.json(Array("[\"noop\"]".utf8))
  /// Ends the session well.
  package static let close = WebChannelOutbox.Payload.json(Array("[\"close\"]".utf8))

  /// Ends the session with an error.
  package static func failure(_ error: ServiceError) -> WebChannelOutbox.Payload {
    .json(RESTError.body(error, streaming: true))
  }

  /// The answer that opens a session: array 0, with the session's id, version 8 of the protocol and
  /// how often at least something comes.
  package static func opening(sessionID: String, keepAlive: Duration) -> [UInt8] {
    let (seconds, attoseconds) = keepAlive.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return WebChannelFrame.frame(
      Array("[[0,[\"c\",\"\(sessionID)\",\"\",8,14,\(milliseconds)]]]".utf8)
    )
  }

  /// The answer to a request with messages.
  package static func receipt(
    hasBackChannel: Bool,
    lastSent: Int,
    outstandingBytes: Int
  ) -> [UInt8] {
    WebChannelFrame.frame(
      Array("[\(hasBackChannel ? 1 : 0),\(lastSent),\(outstandingBytes)]".utf8)
    )
  }
}
