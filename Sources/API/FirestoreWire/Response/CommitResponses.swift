import BaseStatus
import DocumentCodec
import FirestoreModel

/// The answer of BeginTransaction.
package struct BeginTransactionResponse: WireResponse {
  private let transaction: [UInt8]

  /// The new transaction's id.
  package init(transaction: [UInt8]) { self.transaction = transaction }

  /// Writes the id as field 1.
  package func write(to writer: inout ProtobufWriter) { writer.nonEmpty(1, transaction) }
}

/// The answer of Commit.
package struct CommitResponse: WireResponse {
  private let results: [WriteResult]
  private let commitTime: CommitVersion

  /// One result a write, in their order, and the one time of all.
  package init(results: [WriteResult], commitTime: CommitVersion) {
    self.results = results
    self.commitTime = commitTime
  }

  /// A result takes 24 bytes with its time; results of transforms are not counted.
  package var estimatedSize: Int { results.count * 24 + 32 }

  /// Writes the results as field 1 and the commit's time as field 2.
  package func write(to writer: inout ProtobufWriter) {
    for result in results { writer.message(1) { $0.resultFields(result) } }
    writer.version(2, commitTime)
  }
}

/// The answer of BatchWrite: a result and a status for each write, in their order.
package struct BatchWriteResponse: WireResponse {
  private let outcomes: [Result<WriteResult, ServiceError>]

  /// Collects the outcome of each write.
  package init(outcomes: [Result<WriteResult, ServiceError>]) { self.outcomes = outcomes }

  /// An outcome takes 32 bytes; texts of errors are not counted.
  package var estimatedSize: Int { outcomes.count * 32 }

  /// Writes the results as field 1, empty for failures, and then the statuses as field 2.
  package func write(to writer: inout ProtobufWriter) {
    for outcome in outcomes {
      writer.message(1) { message in
        if case .success(let result) = outcome { message.resultFields(result) }
      }
    }
    for outcome in outcomes {
      switch outcome {
      case .success: writer.content(2, [])
      case .failure(let error): writer.content(2, StatusMessage.encoded(error))
      }
    }
  }
}

extension ProtobufWriter {
  /// Writes the fields of a `WriteResult`.
  mutating func resultFields(_ result: WriteResult) {
    version(1, result.updateTime)
    for value in result.transformResults { self.value(2, value) }
  }
}
