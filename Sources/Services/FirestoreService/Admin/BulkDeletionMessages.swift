import DocumentStore
import FirestoreModel
import FirestoreWire

extension AdminResponse.Operation {
  /// A bulk deletion as Google's clients see it.
  init(_ deletion: BulkDeletion, in database: DatabaseID) {
    var metadata = Google_Firestore_Admin_V1_BulkDeleteDocumentsMetadata()
    metadata.setTimes(start: deletion.start, end: deletion.end)
    metadata.operationState = deletion.end == nil ? .processing : .successful
    metadata.progressDocuments.completedWork = Int64(deletion.documents)
    metadata.collectionIds = deletion.collectionIDs.map(\.string)
    self.init(
      name: "\(database.path)/operations/\(Self.name(of: deletion))",
      metadata: .bulkDeletion(metadata),
      outcome: deletion.end == nil ? .running : .bulkDeletion
    )
  }

  /// The last part of the operation's name.
  static func name(of deletion: BulkDeletion) -> String { "bulk-delete-\(deletion.number)" }
}
