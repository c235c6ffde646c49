import Foundation

/// A line of a response on the control socket.
///
/// An item's bytes follow its line as they are: as JSON in JSON they would grow many times over.
private enum ControlFrame: Codable {
  /// Anything but an item.
  case reply(AdministrationReply)
  case item(file: String, byteCount: Int)
}

extension LineChannel {
  /// Writes one part of a response.
  func send(_ reply: AdministrationReply) throws {
    guard case .item(let file, let bytes) = reply else {
      return try write(.reply(reply))
    }
    try write(.item(file: file, byteCount: bytes.count))
    try writeBytes(bytes)
  }

  /// The next part of a response; nil when the other side has finished.
  func receive() throws -> AdministrationReply? {
    guard let line = try readLine() else { return nil }
    switch try JSONDecoder().decode(ControlFrame.self, from: Data(line.utf8)) {
    case .reply(let reply): return reply
    case .item(let file, let byteCount):
      guard (0...Self.longestItem).contains(byteCount) else {
        throw ControlError.malformed("an item of \(byteCount) bytes")
      }
      return .item(file: file, bytes: try readBytes(byteCount))
    }
  }

  private func write(_ frame: ControlFrame) throws {
    try writeLine(String(decoding: JSONEncoder().encode(frame), as: UTF8.self))
  }
}
