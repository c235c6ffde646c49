import DocumentStore
import FirestoreModel
import FirestoreService
import FirestoreWire
import Foundation

/// Documents as lines of JSON: the REST API's `Document`, on one line.
enum DocumentJSON {
  /// The document's line.
  static func line(_ record: DocumentRecord) throws -> String {
    let json = try RESTTranscoder().json(
      of: .getDocument,
      response: DocumentResponse(record).encoded()
    )
    return String(decoding: json, as: UTF8.self)
  }

  /// The write that makes the document of a line, in that database whichever it came from.
  static func write(_ line: String, into database: DatabaseID) throws -> Write {
    let named = try JSONDecoder().decode(Named.self, from: Data(line.utf8))
    let origin = try DocumentName(parsing: named.name)
    let call = try RESTTranscoder().call(
      method: "POST",
      path: "/v1/\(origin.database.path)/documents:commit",
      query: nil,
      body: Array("{\"writes\":[{\"update\":\(line)}]}".utf8)
    )
    guard let call, let write = try WireCommitRequest(decoding: call.request).writes.first else {
      throw ControlError.malformed("a line without a document")
    }
    return Write(
      name: DocumentName(database: database, path: write.name.path),
      operation: write.operation
    )
  }

  private struct Named: Decodable {
    let name: String
  }
}
