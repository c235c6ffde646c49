import BaseJSON
import FirestoreModel
import FirestoreSync

/// The messages of a Write stream.
enum WriteMessages {
  /// A message of the server on a Write stream.
  struct Response {
    var streamToken: [UInt8] = []
    var commitVersion: CommitVersion?
    var results: [WriteResult] = []
  }

  /// The label that makes the server apply a batch once however often it is sent.
  static let labelName: StaticString = "brasa-idempotency-key"

  /// The first message of a stream.
  static func handshake(_ database: DatabaseID) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in json.member("database") { $0.string(database.path) } }
    return json.bytes
  }

  /// A batch, or without writes the last message of a stream.
  static func batch(_ writes: [Write], token: [UInt8], label: String?) -> [UInt8] {
    var json = JSONWriter(capacity: 256 * writes.count + 256)
    json.object { json in
      json.member("streamToken") { $0.base64(token) }
      json.writes(writes)
      if let label {
        json.member("labels") { json in
          json.object { json in json.member(labelName) { $0.string(label) } }
        }
      }
    }
    return json.bytes
  }

  /// Reads the server's message; throws the stream's error.
  static func response(_ json: inout JSONScanner) throws -> Response {
    var response = Response()
    try json.members { key, json in
      switch key {
      case "streamToken": response.streamToken = try json.base64()
      case "commitTime": response.commitVersion = try json.version()
      case "writeResults": response.results = try results(&json)
      case "error": throw try FirestoreFailure(&json)
      default: try json.skip()
      }
    }
    return response
  }

  /// Reads the results of writes.
  static func results(_ json: inout JSONScanner) throws -> [WriteResult] {
    var results: [WriteResult] = []
    try json.elements { results.append(try result(&$0)) }
    return results
  }

  private static func result(_ json: inout JSONScanner) throws -> WriteResult {
    var updateTime: CommitVersion?
    var values: [Value] = []
    try json.members { key, json in
      switch key {
      case "updateTime": updateTime = try json.version()
      case "transformResults": try json.elements { values.append(try $0.value()) }
      default: try json.skip()
      }
    }
    return WriteResult(updateTime: updateTime, transformResults: values)
  }
}
