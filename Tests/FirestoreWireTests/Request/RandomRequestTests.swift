import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import SwiftProtobuf
import Testing

@Suite("Requests that swift-protobuf encoded")
struct RandomRequestTests {
  @Test func `any commit reads as the writes it was made of`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<500 {
      let writes = (0..<random.values.int(0..<4)).map { _ in random.write() }
      var message = Google_Firestore_V1_CommitRequest()
      message.database = databasePath
      message.writes = writes.map { Google_Firestore_V1_Write($0.write, fields: $0.fields) }
      let request = try CommitRequest(decoding: message.bytes)
      try #require(request.database == database)
      for (decoded, (write, fields)) in zip(request.writes, writes) {
        try #require(decoded.isSame(as: write, fields: fields), "seed \(testSeed)")
      }
      try #require(request.writes.count == writes.count)
    }
  }

  @Test func `any query reads as the query it was made of`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<500 {
      let query = random.query()
      var message = Google_Firestore_V1_RunQueryRequest()
      message.parent = ParentName(database: database, path: query.parent).string
      message.structuredQuery = Google_Firestore_V1_StructuredQuery(query)
      let request = try RunQueryRequest(decoding: message.bytes)
      try #require(request.query == query, "seed \(testSeed)")
      try #require(request.parent.path == query.parent)
    }
  }

  @Test func `mutated bytes are read or refused, never more`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<60 {
      var commit = Google_Firestore_V1_CommitRequest()
      commit.database = databasePath
      let writes = (0..<2).map { _ in random.write() }
      commit.writes = writes.map { Google_Firestore_V1_Write($0.write, fields: $0.fields) }
      var query = Google_Firestore_V1_RunQueryRequest()
      query.parent = documentsPath
      query.structuredQuery = Google_Firestore_V1_StructuredQuery(random.query())
      for bytes in [try commit.bytes, try query.bytes] {
        for _ in 0..<20 { Self.readAsEverything(random.mutated(bytes)) }
      }
    }
  }

  /// Reads bytes as every message; the result does not matter: a crash would end the test.
  private static func readAsEverything(_ bytes: [UInt8]) {
    _ = try? GetDocumentRequest(decoding: bytes)
    _ = try? BatchGetDocumentsRequest(decoding: bytes)
    _ = try? CommitRequest(decoding: bytes)
    _ = try? BatchWriteRequest(decoding: bytes)
    _ = try? RunQueryRequest(decoding: bytes)
    _ = try? RunAggregationQueryRequest(decoding: bytes)
    _ = try? ListDocumentsRequest(decoding: bytes)
    _ = try? UpdateDocumentRequest(decoding: bytes)
    _ = try? ListenRequest(decoding: bytes)
    _ = try? WriteStreamRequest(decoding: bytes)
    _ = try? PartitionQueryRequest(decoding: bytes)
    _ = try? RESTTranscoder().json(of: .commit, response: bytes)
    for method in ["PATCH", "POST"] {
      _ = try? RESTTranscoder()
        .call(method: method, path: "/v1/\(documentsPath)/c/d", query: nil, body: bytes)
    }
  }
}

extension RandomRequests {
  /// The bytes with one to three of them changed, cut off, doubled or put in.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<values.int(1..<4) where !bytes.isEmpty {
      let position = values.int(0..<bytes.count)
      switch values.int(0..<5) {
      case 0: bytes[position] = UInt8(values.int(0..<256))
      case 1: bytes[position] ^= 1 << UInt8(values.int(0..<8))
      case 2: bytes.removeSubrange(position...)
      case 3: bytes.insert(UInt8(values.int(0..<256)), at: position)
      default: bytes.insert(contentsOf: bytes[position...].prefix(12), at: position)
      }
    }
    return bytes
  }
}

extension Write {
  /// Returns true if both are the same write; the encoder put the fields in an order of its own.
  func isSame(as other: Write, fields: MapValue) -> Bool {
    let isSameOperation: Bool
    switch (operation, other.operation) {
    case (.update(let read, let mask), .update(_, let otherMask)):
      isSameOperation = mask == otherMask && read.decoded() == fields
    default: isSameOperation = operation == other.operation
    }
    return isSameOperation && name == other.name && transforms == other.transforms
      && precondition == other.precondition
  }
}
