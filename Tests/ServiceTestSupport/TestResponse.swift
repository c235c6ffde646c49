import Access
import BaseJSON
import HTTPTypes

/// The response of a route, with its body as a whole.
package struct TestResponse: Sendable {
  /// The HTTP status.
  package let status: Int
  /// The header fields.
  package let headers: HTTPFields
  /// The body.
  package let bytes: [UInt8]
  /// The administrator who signed in and called, and the names that the audit trail is to keep.
  package let actor: CallActor?

  /// The body as a text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The body as JSON; `null` where it is none.
  package var json: JSONValue { (try? JSONValue(parsing: text)) ?? .null }

  /// A header field; nil where the response has none.
  package func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

  /// The JSON value of a member of the body.
  package subscript(name: String) -> JSONValue? { json[name] }

  /// The status, with the status word and the text of an error, as in `404 NOT_FOUND No such thing.`.
  package var outcome: String {
    guard status >= 400 else { return "\(status)" }
    guard let error = json["error"], let message = error["message"]?.string else {
      return "\(status) \(text.trimmingSuffix(while: \.isNewline))"
    }
    // Both are said twice, in the status line and in the body.
    let code = error["code"]?.integer ?? 0
    let other = code == Int64(status) ? "" : "(code \(code)) "
    let word = error["status"]?.string.map { "\($0) " } ?? ""
    return "\(status) \(other)\(word)\(message)"
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
