import BaseText
import FirebaseCore
import FirestoreClient
import FirestoreModel
import Foundation
import Locking

/// A database of an app's project.
///
/// There is one object for an app and a database, until it is terminated. May be used from any thread. It connects when
/// it is first used; until then its settings can be changed.
public final class Firestore: NSObject, FirebaseComponent, Sendable {
  enum Client {
    /// Not used yet.
    case none
    /// With its turn at the cache's file, if it has one.
    case running(SyncClient, CacheTurn?)
    case terminated
  }

  struct State {
    var settings = FirestoreSettings.Values()
    var client = Client.none
    /// Made when it is first asked for; there is one for a client.
    var indexManager: PersistentCacheIndexManager?
  }

  /// The app.
  public let app: FirebaseApp
  /// The project and the id of the database.
  package let database: DatabaseID
  let state = Lock(State())

  private init(app: FirebaseApp, database: DatabaseID) {
    self.app = app
    self.database = database
  }

  /// The default database of the default app; traps before that is configured.
  public static func firestore() -> Firestore { firestore(database: "(default)") }

  /// The default database of an app.
  public static func firestore(app: FirebaseApp) -> Firestore {
    firestore(app: app, database: "(default)")
  }

  /// A database of the default app; traps before that is configured.
  public static func firestore(database: String) -> Firestore {
    guard let app = FirebaseApp.app() else {
      fatalError(
        "Failed to get FirebaseApp instance. Please call FirebaseApp.configure() before using Firestore"
      )
    }
    return firestore(app: app, database: database)
  }

  /// A database of an app.
  public static func firestore(app: FirebaseApp, database: String) -> Firestore {
    trapping { try check(app: app, database: database) }
    let project = app.options.projectID ?? ""
    let id = DatabaseID(project: Text(project), database: Text(database))
    return app.component(componentKey(database)) { Firestore(app: app, database: id) }
  }

  /// Throws `invalidArgument` where ``firestore(app:database:)`` would trap.
  public static func check(app: FirebaseApp, database: String = "(default)") throws {
    try require(
      app.options.projectID?.isEmpty == false,
      "FirebaseOptions.projectID must be set to a valid project ID."
    )
    try require(!database.isEmpty, "Database identifier cannot be empty.")
  }

  private static func componentKey(_ database: String) -> String {
    "FirebaseFirestore/\(database)"
  }

  /// Ends the client in the background; using the object after that traps.
  package func appWasDeleted() { stop() }

  /// Lets go of the client and makes room for another object of the same database.
  ///
  /// Returns the client, if there was one.
  @discardableResult
  func stop() -> SyncClient? {
    // The next client, which the room is for, waits for this one.
    state.withLock { state in
      if case .running(_, let turn) = state.client { turn?.willEnd() }
    }
    app.removeComponent(Self.componentKey(database.database.string), self)
    let old = state.withLock { state in
      defer { state.client = .terminated }
      return state.client
    }
    guard case .running(let client, let turn) = old else { return nil }
    // Once more: it may have started in the meantime.
    turn?.willEnd()
    client.perform { client in
      client.terminate()
      turn?.end()
    }
    return client
  }

  // MARK: References

  /// The collection at a path; traps on any other path.
  public func collection(_ collectionPath: String) -> CollectionReference {
    CollectionReference(self, .root.appending(path: collectionPath, of: .collection))
  }

  /// The document at a path; traps on any other path.
  public func document(_ documentPath: String) -> DocumentReference {
    DocumentReference(self, .root.appending(path: documentPath, of: .document))
  }

  /// The documents of all collections of an id, wherever they are; traps on an id with slashes.
  public func collectionGroup(_ collectionID: String) -> Query {
    trapping { try collectionGroup(at: collectionID) }
  }

  /// Writes that are made together.
  public func batch() -> WriteBatch { WriteBatch(self) }
}
