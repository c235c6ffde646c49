import FirestoreModel

/// Something that is stored otherwise than it follows from the documents and the logs.
package struct StoreDifference: Sendable, Hashable, CustomStringConvertible {
  /// The kind of record that is wrong.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case damagedDocument = "damaged document"
    case missingEntry = "missing index entry"
    case wrongEntry = "wrong index entry"
    case surplusEntry = "surplus index entry"
    case missingDirectoryEntry = "missing directory entry"
    case surplusDirectoryEntry = "surplus directory entry"
    case missingChange = "missing change"
    case surplusChange = "surplus change"
    case missingHistory = "missing history"
    case surplusHistory = "surplus history"
    case damagedRecord = "damaged record"
  }

  /// The kind of damage or disagreement.
  package let kind: Kind
  /// The document, collection or key concerned.
  package let location: String

  /// The kind and the location, for one line of a report.
  package var description: String { "\(kind.rawValue): \(location)" }
}

/// The extent of a verification: the records that it checked.
package struct VerificationSummary: Sendable, Hashable {
  /// The version at which everything was read.
  package var version: CommitVersion = .zero
  /// Live documents.
  package var documents = 0
  /// Index entries that documents have and the indexes hold, without those of unfinished indexes.
  package var indexEntries = 0
  /// Collections with documents.
  package var collections = 0
  /// Records of the commit log.
  package var commits = 0
  /// Records of the change log.
  package var changes = 0
  /// Earlier records of documents, kept for reads in the past.
  package var historyRecords = 0
  /// Differences that were reported.
  package var differences = 0
  /// True if entries of indexes that are being built or erased were left out.
  package var skippedUnfinishedIndexes = false

  /// Nothing looked at yet.
  package init() {}
}

extension Database {
  /// Recomputes index entries, directory, change log, history and kept answers from one another and reports every
  /// difference.
  ///
  /// Reads one version, in one view, while others continue to write; takes time and reads
  /// everything. `progress` receives the number of documents done now and then.
  package func verify(
    progress: (Int) throws -> Void = { _ in },
    report: (StoreDifference) throws -> Void
  ) throws -> VerificationSummary {
    try withoutActuallyEscaping(progress) { progress in
      try withoutActuallyEscaping(report) { report in
        try read(.now) { view in
          let verifier = try StoreVerifier(self, view, progress: progress, report: report)
          return try verifier.run()
        }
      }
    }
  }
}
