import FirestoreWire

/// Documents as lines of JSON: the REST API's `Document`, on one line.
///
/// The commands read and write them; a server hands documents on as messages, which are a fraction as
/// large.
enum DocumentJSON {
  /// The line of a `Document` message.
  static func line(_ message: [UInt8]) throws -> [UInt8] {
    try RESTTranscoder().json(of: .getDocument, response: message)
  }

  /// The `UpdateDocumentRequest` that writes the document of a line.
  static func message(_ line: [UInt8]) throws -> [UInt8] {
    let request = Array("{\"document\":".utf8) + line + Array("}".utf8)
    return try RESTTranscoder().message(of: .updateDocument, json: request)
  }
}
