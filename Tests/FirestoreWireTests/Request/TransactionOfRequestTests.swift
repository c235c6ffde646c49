import DocumentCodec
import Testing

@testable import FirestoreWire

/// The transaction of a request is found where its message has it.
struct TransactionOfRequestTests {
  @Test(
    arguments: [
      (RPCMethod.rollback, 2), (.getDocument, 3), (.commit, 3), (.batchGetDocuments, 4),
      (.runAggregationQuery, 4), (.runQuery, 5), (.listDocuments, 8),
    ]
  )
  func `a transaction is found in its field, between others`(method: RPCMethod, field: Int) {
    let others = Self.text(1, "projects/p/databases/d") + [0x78, 0x01]
    let request = others + Self.text(field, "first") + Self.text(15, "x") + Self.text(field, "id")
    #expect(method.transaction(in: request) == Array("id".utf8))
    #expect(method.transaction(in: others) == nil)
    #expect(method.transaction(in: others + Self.text(field, "")) == nil)
  }

  @Test func `a method without transactions has none, and neither has what is no message`() {
    #expect(RPCMethod.beginTransaction.transaction(in: Self.text(3, "id")) == nil)
    #expect(RPCMethod.batchWrite.transaction(in: Self.text(3, "id")) == nil)
    #expect(RPCMethod.commit.transaction(in: [0x1A, 0x05, 0x01]) == nil)
    #expect(RPCMethod.commit.transaction(in: [0x18, 0x01]) == nil)
    #expect(RPCMethod.commit.transaction(in: [0xFF]) == nil)
  }

  private static func text(_ field: Int, _ text: String) -> [UInt8] {
    [UInt8(field << 3 | 2), UInt8(text.utf8.count)] + Array(text.utf8)
  }
}
