/// The header blocks of a connection's calls, as Google's clients send them: written out once, then named
/// by their places in the table that the server remembers (RFC 7541).
struct RequestHeaders {
  private let target: LoadTarget
  /// The fields that the server remembers, the oldest first.
  private var table: [Field] = []
  /// Blocks that only name remembered fields.
  private var blocks: [OutgoingCall.Method: [UInt8]] = [:]

  private struct Field: Hashable {
    let name: String
    let value: String
  }

  /// Longer values would push others out of the 4,096 bytes that a server remembers.
  private static let longestRemembered = 2_500

  /// The headers of calls to that server.
  init(_ target: LoadTarget) { self.target = target }

  /// The next call's block; blocks are to be sent in the order in which they were asked for.
  mutating func block(of method: OutgoingCall.Method) -> [UInt8] {
    if let block = blocks[method] { return block }
    // `:method: POST` and `:scheme: http` of the static table.
    var bytes: [UInt8] = [0x83, 0x86]
    var isStable = true
    for field in fields(of: method) {
      if field.value.utf8.count > Self.longestRemembered {
        bytes.append(0x10)
        FrameCodec.appendText(field.name, to: &bytes)
        FrameCodec.appendText(field.value, to: &bytes)
      } else if let index = table.firstIndex(of: field) {
        // The static table has 61 entries; the youngest of the server's follows it.
        bytes.append(0x80 | UInt8(62 + table.count - 1 - index))
      } else {
        bytes.append(0x40)
        FrameCodec.appendText(field.name, to: &bytes)
        FrameCodec.appendText(field.value, to: &bytes)
        table.append(field)
        isStable = false
      }
    }
    if isStable { blocks[method] = bytes } else { blocks = [:] }
    return bytes
  }

  private func fields(of method: OutgoingCall.Method) -> [Field] {
    var fields = [
      Field(name: ":path", value: method.path),
      Field(name: ":authority", value: "\(target.host):\(target.port)"),
      Field(name: "te", value: "trailers"),
      Field(name: "content-type", value: "application/grpc"),
    ]
    if let token = target.token {
      fields.append(Field(name: "authorization", value: "Bearer \(token)"))
    }
    return fields
  }
}
