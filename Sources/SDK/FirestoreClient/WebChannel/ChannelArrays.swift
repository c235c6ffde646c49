import FirestoreSync

/// One array of a WebChannel server.
enum ChannelArray<Message> {
  /// The answer to the opening: the session's id.
  case opened(session: String)
  case message(Message)
  case noop
  /// The server ends the session, in order or not.
  case ended(isOrderly: Bool)
}

extension JSONScanner {
  /// Reads a text of arrays, each with its number, and calls the body with each one.
  ///
  /// Throws a `FirestoreFailure` where an array carries one.
  mutating func channelArrays<Message>(
    decoding decode: (inout JSONScanner) throws -> Message?,
    _ body: (Int, ChannelArray<Message>) throws -> Void
  ) throws {
    try elements { json in
      var number: Int64?
      var array: ChannelArray<Message>?
      try json.elements { json in
        if number == nil {
          number = try json.integer()
        } else {
          array = try json.payload(decode)
        }
      }
      guard let number else { throw json.malformed }
      try body(Int(number), array ?? .noop)
    }
    try end()
  }

  private mutating func payload<Message>(
    _ decode: (inout JSONScanner) throws -> Message?
  ) throws -> ChannelArray<Message>? {
    var words: [String] = []
    var message: Message?
    try elements { json in
      switch json.next {
      case UInt8(ascii: "\""): words.append(try json.string())
      case UInt8(ascii: "{"):
        let decoded = try decode(&json)
        message = message ?? decoded
      case UInt8(ascii: "["): _ = try json.payload(decode)
      default: try json.skip()
      }
    }
    if let message { return .message(message) }
    switch words.first {
    case "c" where words.count > 1: return .opened(session: words[1])
    case "close": return .ended(isOrderly: true)
    case "stop": return .ended(isOrderly: false)
    default: return .noop
    }
  }
}
