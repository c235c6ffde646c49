import FirestoreModel
import FirestoreWire

@testable import FirestoreService

/// The matrix's column of times: which state of the database an operation reads.
enum MatrixTime: CaseIterable, Sendable {
  case latest
  /// That of the request's `read_time`.
  case chosen
  /// That of the read-only transaction that the request begins.
  case chosenInTransaction

  /// The field of a method's request that says so, in JSON and in protobuf; nil where there is none.
  fileprivate func field(of method: RPCMethod) -> (path: [String], numbers: [Int])? {
    switch (self, method) {
    case (.latest, _): nil
    case (.chosen, .getDocument): (["readTime"], [5])
    case (.chosen, .listDocuments): (["readTime"], [10])
    case (.chosen, .batchGetDocuments), (.chosen, .runQuery), (.chosen, .executePipeline):
      (["readTime"], [7])
    case (.chosen, .runAggregationQuery), (.chosen, .partitionQuery): (["readTime"], [6])
    case (.chosen, .listCollectionIDs): (["readTime"], [4])
    case (.chosenInTransaction, .beginTransaction):
      (["options", "readOnly", "readTime"], [2, 2, 2])
    case (.chosenInTransaction, .batchGetDocuments), (.chosenInTransaction, .runAggregationQuery):
      (["newTransaction", "readOnly", "readTime"], [5, 2, 2])
    case (.chosenInTransaction, .runQuery), (.chosenInTransaction, .executePipeline):
      (["newTransaction", "readOnly", "readTime"], [6, 2, 2])
    default: nil
    }
  }
}

extension MatrixOperation {
  /// The operation at a chosen time; nil where its request cannot name one so, or names one already.
  func at(_ time: MatrixTime) -> MatrixOperation? {
    guard time.field(of: grpc("r/documents").0) != nil,
      !description.contains("new transaction")
    else { return nil }
    var operation = self
    operation.time = time
    operation.description += time == .chosen ? " at a time" : " in a transaction at a time"
    operation.allowed = []
    return operation
  }

  /// The request as REST has it, at that time.
  func rest(
    _ root: String,
    at time: Timestamp
  ) -> (method: String, path: String, body: String) {
    var (method, path, body) = rest(root)
    guard let field = self.time.field(of: grpc(root).0) else { return (method, path, body) }
    let text = TimestampText.format(seconds: time.seconds, nanos: time.nanos)
    if method == "GET" {
      path += (path.contains("?") ? "&" : "?") + "readTime=\(text)"
      return (method, path, body)
    }
    let value = field.path.dropFirst().reversed().reduce("\"\(text)\"") { "{\"\($1)\":\($0)}" }
    let rest = body.dropFirst()
    body = "{\"\(field.path[0])\":\(value)\(rest == "}" ? "" : ",")\(rest)"
    return (method, path, body)
  }

  /// The request as gRPC has it, at that time.
  func grpc(_ root: String, at time: Timestamp) -> (RPCMethod, [UInt8]) {
    let (method, message) = grpc(root)
    guard let field = self.time.field(of: method) else { return (method, message.bytes) }
    let stamp = TestMessage(.number(1, time.seconds), .number(2, Int64(time.nanos))).bytes
    let value = field.numbers.dropFirst().reversed().reduce(stamp) { bytes, number in
      TestMessage(.bytes(number, bytes)).bytes
    }
    return (method, message.bytes + TestMessage(.bytes(field.numbers[0], value)).bytes)
  }
}
