import Foundation

/// A line of an answer on the control socket.
///
/// A document's bytes follow its line as they are: as JSON in JSON they would grow many times over.
private enum ControlFrame: Codable {
  /// Anything but a document.
  case reply(AdministrationReply)
  case document(collection: String, byteCount: Int)
}

extension LineChannel {
  /// Writes one part of an answer.
  func send(_ reply: AdministrationReply) throws {
    guard case .document(let collection, let message) = reply else {
      return try write(.reply(reply))
    }
    try write(.document(collection: collection, byteCount: message.count))
    try writeBytes(message)
  }

  /// The next part of an answer; nil when the other side has finished.
  func receive() throws -> AdministrationReply? {
    guard let line = try readLine() else { return nil }
    switch try JSONDecoder().decode(ControlFrame.self, from: Data(line.utf8)) {
    case .reply(let reply): return reply
    case .document(let collection, let byteCount):
      guard (0...Self.longestItem).contains(byteCount) else {
        throw ControlError.malformed("a document of \(byteCount) bytes")
      }
      return .document(collection: collection, message: try readBytes(byteCount))
    }
  }

  private func write(_ frame: ControlFrame) throws {
    try writeLine(String(decoding: JSONEncoder().encode(frame), as: UTF8.self))
  }
}
