import Foundation

/// Finds the sentence for people in an error reply.
///
/// Services say it in many shapes; these are the ones known, tried in this order:
///
///     {"error": {"code": 400, "message": "text"}}
///     {"error": "code", "error_description": "text"}      OAuth 2
///     {"status": 400, "message": "text"}, {"auth": false, "message": "text"}
///     {"error": "text"}
///     "text"                                              a bare JSON string
///     text                                                with Content-Type text/plain
enum ServerMessage {
  static func text(in reply: HTTPReply) -> String? {
    if let shape = try? JSONDecoder().decode(Shape.self, from: reply.body) {
      return shape.text.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard reply.headers["content-type"]?.hasPrefix("text/plain") == true else { return nil }
    let text = String(decoding: reply.body, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }

  private struct Shape: Decodable {
    let text: String?

    private enum Key: String, CodingKey {
      case error, message
      case description = "error_description"
    }

    private struct Nested: Decodable {
      let message: String?
    }

    init(from decoder: any Decoder) throws {
      if let bare = try? decoder.singleValueContainer().decode(String.self) {
        text = bare
        return
      }
      let object = try decoder.container(keyedBy: Key.self)
      let candidates = [
        (try? object.decode(Nested.self, forKey: .error))?.message,
        try? object.decode(String.self, forKey: .description),
        try? object.decode(String.self, forKey: .message),
        try? object.decode(String.self, forKey: .error),
      ]
      text = candidates.compactMap(\.self).first
    }
  }
}
