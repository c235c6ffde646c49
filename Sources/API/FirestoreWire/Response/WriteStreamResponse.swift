import DocumentCodec
import FirestoreModel

/// A message of a Write stream to the client.
///
/// The first has a stream ID and no results. One for a batch has one result a write and the
/// commit's time, and one for a message without writes has only a token. The token is never empty:
/// clients insist on one, and send it back as it is.
package struct WriteStreamResponse: WireResponse {
  private let streamID: String?
  private let streamToken: [UInt8]
  private let results: [WriteResult]
  private let commitTime: CommitVersion?

  /// Opens the stream.
  package init(streamID: String, streamToken: [UInt8]) {
    self.streamID = streamID
    self.streamToken = streamToken
    results = []
    commitTime = nil
  }

  /// Answers a batch that is durable.
  package init(streamToken: [UInt8], results: [WriteResult], commitTime: CommitVersion) {
    streamID = nil
    self.streamToken = streamToken
    self.results = results
    self.commitTime = commitTime
  }

  /// Answers a message without writes.
  package init(streamToken: [UInt8]) {
    streamID = nil
    self.streamToken = streamToken
    results = []
    commitTime = nil
  }

  /// A result takes 24 bytes with its time; results of transforms are not counted.
  package var estimatedSize: Int { results.count * 24 + 64 }

  /// Writes stream id, token, results and commit time as fields 1 to 4.
  package func write(to writer: inout ProtobufWriter) {
    if let streamID { writer.string(1, streamID) }
    writer.nonEmpty(2, streamToken)
    for result in results { writer.message(3) { $0.resultFields(result) } }
    writer.version(4, commitTime)
  }
}
