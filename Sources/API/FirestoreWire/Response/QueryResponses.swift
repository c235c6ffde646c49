import BaseText
import DocumentCodec
import FirestoreModel

/// One message of RunQuery.
package struct RunQueryResponse: WireResponse {
  private let document: DocumentRecord?
  private let transaction: [UInt8]?
  private let readTime: CommitVersion?
  private let skippedResults: Int
  private let isDone: Bool
  private let explain: ExplainMetrics?
  private let mask: [FieldPath]?

  /// A document, or other contents of a response: the transaction that the request began (first and
  /// alone), progress, results skipped by the offset, the explanation (last).
  package init(
    document: DocumentRecord? = nil,
    transaction: [UInt8]? = nil,
    readTime: CommitVersion? = nil,
    skippedResults: Int = 0,
    isDone: Bool = false,
    explain: ExplainMetrics? = nil,
    mask: [FieldPath]? = nil
  ) {
    self.document = document
    self.transaction = transaction
    self.readTime = readTime
    self.skippedResults = skippedResults
    self.isDone = isDone
    self.explain = explain
    self.mask = mask
  }

  /// The document's stored fields and 256 bytes for the rest; the mask is ignored.
  package var estimatedSize: Int { (document?.fields.bytes.count ?? 0) + 256 }

  /// Writes the fields of a `google.firestore.v1.RunQueryResponse`.
  package func write(to writer: inout ProtobufWriter) {
    if let document { writer.message(1) { $0.documentFields(document, mask: mask) } }
    writer.nonEmpty(2, transaction)
    writer.version(3, readTime)
    if skippedResults != 0 { writer.int64(4, Int64(skippedResults)) }
    if isDone { writer.bool(6, true) }
    if let explain { writer.message(11) { explain.write(to: &$0) } }
  }
}

/// One message of RunAggregationQuery.
package struct RunAggregationQueryResponse: WireResponse {
  private let result: [(alias: Text, value: Value)]?
  private let transaction: [UInt8]?
  private let readTime: CommitVersion?
  private let explain: ExplainMetrics?

  /// The aggregates under their aliases, or none if only the transaction or a plan is sent.
  package init(
    result: [(alias: Text, value: Value)]?,
    transaction: [UInt8]? = nil,
    readTime: CommitVersion?,
    explain: ExplainMetrics? = nil
  ) {
    self.result = result
    self.transaction = transaction
    self.readTime = readTime
    self.explain = explain
  }

  /// Writes the fields of a `google.firestore.v1.RunAggregationQueryResponse`.
  package func write(to writer: inout ProtobufWriter) {
    if let result {
      writer.message(1) { message in
        for (alias, value) in result { message.mapEntry(2, alias, value) }
      }
    }
    writer.nonEmpty(2, transaction)
    writer.version(3, readTime)
    if let explain { writer.message(10) { explain.write(to: &$0) } }
  }
}

/// A page of PartitionQuery.
package struct PartitionQueryResponse: WireResponse {
  private let partitions: [Cursor]
  private let nextPageToken: String

  /// A page; an empty token says that it is the last.
  package init(partitions: [Cursor], nextPageToken: String = "") {
    self.partitions = partitions
    self.nextPageToken = nextPageToken
  }

  /// Writes the cursors as field 1 and the token as field 2.
  package func write(to writer: inout ProtobufWriter) {
    for cursor in partitions {
      writer.message(1) { message in
        for value in cursor.values { message.value(1, value) }
        if cursor.before { message.bool(2, true) }
      }
    }
    writer.nonEmpty(2, nextPageToken)
  }
}
