import FirebaseFirestore
import Foundation

/// Errors of a program, each with the call that traps and the one that throws.
enum Misuse: String, Codable, Sendable, CaseIterable {
  case path, group, field, fieldNames
  case settingsAfterUse, plainTextToGoogle, emptyHost, smallCache
  case ended, foreignBatch, committedBatch, attempts
  case point, time, nestedArray
  case filterValue, emptyList, limit, lastWithoutOrder, cursorWithoutOrder, metadataChanges

  var text: String {
    switch self {
    case .path: "Invalid path (a//b). Paths must not contain // in them."
    case .group: "Invalid collection ID (a/b). Collection IDs must not contain / in them."
    case .field:
      "Invalid field path (a..b). Paths must not be empty, begin with '.', end with '.', or contain '..'"
    case .fieldNames: "Invalid field name at index 1. Field names must not be empty."
    case .settingsAfterUse:
      "Firestore instance has already been started and its settings can no longer be changed. You can only set "
        + "settings before calling any other methods on a Firestore instance."
    case .plainTextToGoogle:
      "You can't set the 'isSSLEnabled' setting to false unless you also set a non-default 'host'."
    case .emptyHost:
      "Host setting may not be empty. You should generally just use the default value (which is "
        + "firestore.googleapis.com)"
    case .smallCache: "Cache size must be set to at least 1048576 bytes"
    case .ended: "The client has already been terminated."
    case .foreignBatch: "Provided document reference is from a different Firestore instance."
    case .committedBatch: "A write batch can no longer be used after commit has been called."
    case .attempts: "Invalid maxAttempts: 0"
    case .point: "GeoPoint requires a latitude value in the range of [-90, 90], but was 91.0"
    case .time: "Timestamp nanoseconds out of range: -1"
    case .nestedArray: "Nested arrays are not supported (in FieldValue.arrayUnion())"
    case .filterValue: "Unsupported type: Misuse"
    case .emptyList: "Invalid Query. A non-empty array is required for 'in' filters."
    case .limit: "Invalid Query. Query limit (0) is invalid. Limit must be positive."
    case .lastWithoutOrder:
      "limit(toLast:) queries require specifying at least one OrderBy() clause."
    case .cursorWithoutOrder:
      "Invalid query. You are trying to start or end a query using more values than were specified in the order by."
    case .metadataChanges:
      "To include metadata changes with your document changes, you must call "
        + "addSnapshotListener(includeMetadataChanges:true)."
    }
  }

  /// Does what traps.
  func perform() async throws {
    let firestore = try Self.firestore()
    let all = firestore.collection("c")
    switch self {
    case .path: _ = firestore.collection("a//b")
    case .group: _ = firestore.collectionGroup("a/b")
    case .field: _ = all.order(by: "a..b")
    case .fieldNames: _ = FieldPath(["a", ""])
    case .settingsAfterUse:
      Self.use(firestore)
      firestore.settings = try Self.otherSettings(firestore)
    case .plainTextToGoogle: firestore.settings = Self.plainText
    case .emptyHost: FirestoreSettings().host = ""
    case .smallCache: _ = PersistentCacheSettings(sizeBytes: 1)
    case .ended:
      try await firestore.terminate()
      Self.use(firestore)
    case .foreignBatch:
      _ = firestore.batch().deleteDocument(try Self.firestore().document("c/a"))
    case .committedBatch: Self.committed(firestore).deleteDocument(all.document("a"))
    case .attempts: TransactionOptions().maxAttempts = 0
    case .point: _ = GeoPoint(latitude: 91, longitude: 0)
    case .time: _ = Timestamp(seconds: 0, nanoseconds: -1)
    case .nestedArray: _ = FieldValue.arrayUnion([[1]])
    case .filterValue, .emptyList, .limit, .cursorWithoutOrder: _ = query(all)
    case .lastWithoutOrder: query(all).addSnapshotListener { _, _ in }
    case .metadataChanges:
      _ = try await Self.snapshot(of: all).documentChanges(includeMetadataChanges: true)
    }
  }

  /// Does what throws instead.
  func check() async throws {
    let firestore = try Self.firestore()
    let all = firestore.collection("c")
    switch self {
    case .path: _ = try firestore.collection(at: "a//b")
    case .group: _ = try firestore.collectionGroup(at: "a/b")
    case .field: _ = try all.checking { $0.order(by: "a..b") }
    case .fieldNames: try FieldPath.check(["a", ""])
    case .settingsAfterUse:
      Self.use(firestore)
      try firestore.check(settings: try Self.otherSettings(firestore))
    case .plainTextToGoogle: try firestore.check(settings: Self.plainText)
    case .emptyHost: try FirestoreSettings.check(host: "")
    case .smallCache: try PersistentCacheSettings.check(sizeBytes: 1)
    case .ended:
      try await firestore.terminate()
      try firestore.check()
    case .foreignBatch:
      try firestore.batch().check(forDocument: try Self.firestore().document("c/a"))
    case .committedBatch: try Self.committed(firestore).check()
    case .attempts: try TransactionOptions.check(maxAttempts: 0)
    case .point: try GeoPoint.check(latitude: 91, longitude: 0)
    case .time: try Timestamp.check(seconds: 0, nanoseconds: -1)
    case .nestedArray: try FieldValue.check(arrayUnion: [[1]])
    case .filterValue, .emptyList, .limit, .cursorWithoutOrder, .lastWithoutOrder:
      _ = try all.checking(query)
    case .metadataChanges: try await Self.snapshot(of: all).check(includeMetadataChanges: true)
    }
  }

  private func query(_ all: Query) -> Query {
    switch self {
    case .filterValue: all.whereField("a", isEqualTo: self).order(by: "b")
    case .emptyList: all.whereField("a", in: []).order(by: "b")
    case .limit: all.limit(to: 0)
    case .lastWithoutOrder: all.limit(toLast: 1)
    default: all.start(at: [1])
    }
  }

  private static func firestore() throws -> Firestore {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = "misuse"
    options.brasaHost = "http://127.0.0.1:1"
    let app = try FirebaseApp.configured(name: "misuse-\(UUID().uuidString)", options: options)
    let firestore = Firestore.firestore(app: app)
    let settings = firestore.settings
    settings.cacheSettings = MemoryCacheSettings()
    firestore.settings = settings
    return firestore
  }

  private static func otherSettings(_ firestore: Firestore) throws -> FirestoreSettings {
    let settings = firestore.settings
    settings.host = "db.example.com"
    return settings
  }

  private static var plainText: FirestoreSettings {
    let settings = FirestoreSettings()
    settings.isSSLEnabled = false
    return settings
  }

  private static func use(_ firestore: Firestore) { firestore.disableNetwork(completion: nil) }

  private static func committed(_ firestore: Firestore) -> WriteBatch {
    let batch = firestore.batch()
    commit(batch)
    return batch
  }

  private static func commit(_ batch: WriteBatch) { batch.commit(completion: nil) }

  /// A snapshot of a listener that leaves metadata out.
  private static func snapshot(of query: Query) async throws -> QuerySnapshot {
    try await query.firestore.disableNetwork()
    for try await snapshot in query.snapshots { return snapshot }
    throw FirestoreErrorCode(.cancelled)
  }
}
