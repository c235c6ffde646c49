import BaseStatus

internal import SwiftProtobuf

/// The response to a request of `google.firestore.admin.v1`.
package enum AdminResponse: Sendable {
  /// The state or result of a long-running operation.
  package enum Outcome: Sendable {
    case running
    case index(Google_Firestore_Admin_V1_Index)
    case field(Google_Firestore_Admin_V1_Field)
    case database(Google_Firestore_Admin_V1_Database)
    case bulkDeletion
    /// Succeeded with nothing to show.
    case empty
    case failed(ServiceError)
  }

  /// The subject of a long-running operation.
  package enum Metadata: Sendable {
    case index(Google_Firestore_Admin_V1_IndexOperationMetadata)
    case field(Google_Firestore_Admin_V1_FieldOperationMetadata)
    case bulkDeletion(Google_Firestore_Admin_V1_BulkDeleteDocumentsMetadata)
    case clone(Google_Firestore_Admin_V1_CloneDatabaseMetadata)
    case restore(Google_Firestore_Admin_V1_RestoreDatabaseMetadata)
    case createDatabase
    case updateDatabase
    case deleteDatabase
  }

  /// A long-running operation.
  package struct Operation: Sendable {
    /// The resource name, `projects/{p}/databases/{d}/operations/{id}`.
    package let name: String
    /// The operation's kind and progress.
    package let metadata: Metadata
    /// The result or the error; `running` until there is one.
    package let outcome: Outcome

    /// An operation under its full name.
    package init(name: String, metadata: Metadata, outcome: Outcome) {
      self.name = name
      self.metadata = metadata
      self.outcome = outcome
    }
  }

  case empty
  case index(Google_Firestore_Admin_V1_Index)
  case indexes([Google_Firestore_Admin_V1_Index], nextPageToken: String)
  case field(Google_Firestore_Admin_V1_Field)
  case fields([Google_Firestore_Admin_V1_Field], nextPageToken: String)
  case database(Google_Firestore_Admin_V1_Database)
  case databases([Google_Firestore_Admin_V1_Database])
  case operation(Operation)
  case operations([Operation], nextPageToken: String)
  case backup(Google_Firestore_Admin_V1_Backup)
  case backups([Google_Firestore_Admin_V1_Backup])
  case backupSchedule(Google_Firestore_Admin_V1_BackupSchedule)
  case backupSchedules([Google_Firestore_Admin_V1_BackupSchedule])

  /// The answer's JSON.
  package func json() throws(ServiceError) -> [UInt8] {
    let message = try message()
    do {
      let bytes: [UInt8] = try message.serializedBytes()
      return try MessageJSON.text(of: type(of: message).protoMessageName, bytes: bytes)
    } catch {
      throw ServiceError(.internalError, "The response cannot be written as JSON.", cause: error)
    }
  }

  /// The answer's message as gRPC sends it.
  package func bytes() throws(ServiceError) -> [UInt8] {
    do {
      return try message().serializedBytes()
    } catch {
      throw ServiceError(.internalError, "The response cannot be written.", cause: error)
    }
  }

  private func message() throws(ServiceError) -> any Message {
    switch self {
    case .empty: return Google_Protobuf_Empty()
    case .index(let index): return index
    case .indexes(let indexes, let token):
      var list = Google_Firestore_Admin_V1_ListIndexesResponse()
      list.indexes = indexes
      list.nextPageToken = token
      return list
    case .field(let field): return field
    case .fields(let fields, let token):
      var list = Google_Firestore_Admin_V1_ListFieldsResponse()
      list.fields = fields
      list.nextPageToken = token
      return list
    case .database(let database): return database
    case .databases(let databases):
      var list = Google_Firestore_Admin_V1_ListDatabasesResponse()
      list.databases = databases
      return list
    case .operation(let operation): return try operation.message()
    case .operations(let operations, let token):
      var list = Google_Longrunning_ListOperationsResponse()
      for operation in operations { list.operations.append(try operation.message()) }
      list.nextPageToken = token
      return list
    case .backup(let backup): return backup
    case .backups(let backups):
      var list = Google_Firestore_Admin_V1_ListBackupsResponse()
      list.backups = backups
      return list
    case .backupSchedule(let schedule): return schedule
    case .backupSchedules(let schedules):
      var list = Google_Firestore_Admin_V1_ListBackupSchedulesResponse()
      list.backupSchedules = schedules
      return list
    }
  }
}

extension AdminResponse.Operation {
  fileprivate func message() throws(ServiceError) -> Google_Longrunning_Operation {
    var operation = Google_Longrunning_Operation()
    operation.name = name
    operation.metadata = try any(metadata.message)
    switch outcome {
    case .running: return operation
    case .index(let index): operation.response = try any(index)
    case .field(let field): operation.response = try any(field)
    case .database(let database): operation.response = try any(database)
    case .bulkDeletion:
      operation.response = try any(Google_Firestore_Admin_V1_BulkDeleteDocumentsResponse())
    case .empty: operation.response = try any(Google_Protobuf_Empty())
    case .failed(let error):
      var status = Google_Rpc_Status()
      status.code = Int32(error.code.rawValue)
      status.message = error.message
      operation.error = status
    }
    operation.done = true
    return operation
  }

  private func any(_ message: any Message) throws(ServiceError) -> Google_Protobuf_Any {
    do {
      return try Google_Protobuf_Any(message: message)
    } catch {
      throw ServiceError(.internalError, "The response cannot be written as JSON.", cause: error)
    }
  }
}

extension AdminResponse.Metadata {
  fileprivate var message: any Message {
    switch self {
    case .index(let metadata): metadata
    case .field(let metadata): metadata
    case .bulkDeletion(let metadata): metadata
    case .clone(let metadata): metadata
    case .restore(let metadata): metadata
    case .createDatabase: Google_Firestore_Admin_V1_CreateDatabaseMetadata()
    case .updateDatabase: Google_Firestore_Admin_V1_UpdateDatabaseMetadata()
    case .deleteDatabase: Google_Firestore_Admin_V1_DeleteDatabaseMetadata()
    }
  }
}
