import FirebaseFirestore
import Foundation

import class FirebaseCore.Timestamp

/// Every call of the database's API, in the ways of apps: with callbacks.
@MainActor
public final class DatabaseCallbacks {
  private let db = Firestore.firestore()
  private var registrations: [ListenerRegistration] = []
  /// The last message.
  public private(set) var message: String?

  /// Uses the default database.
  public init() {}

  /// Settings, emulators and the network.
  public func setUp() {
    let settings = FirestoreSettings()
    settings.host = "localhost:8080"
    settings.isSSLEnabled = false
    settings.cacheSettings = MemoryCacheSettings(
      garbageCollectorSettings: MemoryLRUGCSettings(sizeBytes: 10_000_000)
    )
    settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100_000_000)
    settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryEagerGCSetting())
    settings.dispatchQueue = .main
    db.settings = settings
    db.useEmulator(withHost: "localhost", port: 8080)
    Firestore.enableLogging(false)
    db.enableNetwork()
    db.enableNetwork { error in print(error ?? "on") }
    db.disableNetwork()
    db.disableNetwork { error in print(error ?? "off") }
    db.waitForPendingWrites { error in print(error ?? "done") }
    db.addSnapshotsInSyncListener { print("in sync") }
    db.clearPersistence { error in print((error as NSError?)?.code ?? 0) }
    db.terminate()
    db.terminate { _ in }
    _ = Firestore.firestore(app: db.app)
    _ = Firestore.firestore(database: "other")
    _ = Firestore.firestore(app: db.app, database: "other")
  }

  /// Every write.
  public func write(_ person: Person) throws {
    let people = db.collection("people")
    let ana = people.document("ana")
    ana.setData(["name": "Ana", "age": 30, "since": Timestamp(date: Date())])
    ana.setData(["name": "Ana"]) { error in
      if let error { print("Error writing document: \(error)") }
    }
    ana.setData(["name": "Ana"], merge: true)
    ana.setData(["name": "Ana"], merge: true) { _ in }
    ana.setData(["name": "Ana", "age": 1], mergeFields: ["name", FieldPath(["a", "b"])])
    ana.setData(["name": "Ana"], mergeFields: ["name"]) { _ in }
    ana.updateData(["age": 31, "a.b": 1, FieldPath(["x.y"]): true])
    ana.updateData(["age": FieldValue.increment(Int64(1)), "weight": FieldValue.increment(0.5)]) {
      error in
      print(error?.localizedDescription ?? "updated")
    }
    ana.delete()
    ana.delete { error in print(error == nil) }
    people.addDocument(data: ["name": "Bia"])
    let made = people.addDocument(data: ["name": "Bia"]) { error in print(error ?? "added") }
    print(made.documentID, made.path, made.parent.path, people.collectionID, people.parent ?? "top")
    try ana.setData(from: person)
    try ana.setData(from: person, merge: true)
    try ana.setData(from: person, mergeFields: ["name"]) { _ in }
    try ana.setData(from: person, encoder: Firestore.Encoder()) { _ in }
    try people.addDocument(from: person)
    try people.addDocument(from: person) { error in print(error ?? "added") }

    let batch = db.batch()
    batch.setData(["a": 1], forDocument: ana)
    batch.setData(["a": 1], forDocument: ana, merge: true).updateData(["b": 2], forDocument: ana)
    batch.setData(["a": 1], forDocument: ana, mergeFields: ["a"]).deleteDocument(ana)
    try batch.setData(from: person, forDocument: ana).setData(
      from: person,
      forDocument: ana,
      merge: true
    )
    batch.commit()
    db.batch().commit { error in print(error ?? "committed") }
  }

  /// Every way to read.
  public func read() {
    let ana = db.document("people/ana")
    ana.getDocument { [weak self] document, error in
      if let error = error as NSError? {
        let text = error.localizedDescription
        MainActor.assumeIsolated { self?.message = text }
      } else if let document, document.exists {
        let data = document.data()
        let age = data?["age"] as? Int ?? 0
        print(
          document.documentID,
          age,
          document.get("a.b") ?? "",
          document["name"] as? String ?? ""
        )
        print(document.get(FieldPath(["a.b"]), serverTimestampBehavior: .estimate) ?? "")
        print(document.data(with: .previous) ?? [:], document.metadata.isFromCache)
        print(document.metadata.hasPendingWrites, document.reference.path)
      }
    }
    ana.getDocument(source: .cache) { snapshot, _ in
      if let person = try? snapshot?.data(as: Person.self) { print(person.name) }
    }
    ana.getDocument(as: Person.self) { result in
      switch result {
      case .success(let person): print(person.name)
      case .failure(DecodingError.keyNotFound(_, let context)): print(context.debugDescription)
      case .failure(let error): print(error)
      }
    }
    query().getDocuments { snapshot, error in
      guard let documents = snapshot?.documents else { return print(error ?? "") }
      for document in documents { print("\(document.documentID) => \(document.data())") }
    }
    query().getDocuments(source: .server) { snapshot, _ in
      print(snapshot?.count ?? 0, snapshot?.isEmpty ?? true, snapshot?.query ?? "")
    }
    query().count.getAggregation(source: .server) { snapshot, error in
      print(snapshot?.count.intValue ?? 0, error ?? "")
    }
    query().aggregate([.sum("age"), .average("age"), .count()]).getAggregation(source: .server) {
      snapshot,
      _ in
      print(snapshot?.get(AggregateField.average("age")) as? Double ?? 0)
    }
    db.getQuery(named: "people") { query in print(query ?? "none") }
    let task = db.loadBundle(Data()) { progress, error in
      print(progress?.state ?? .error, error ?? "")
    }
    let handle = task.addObserver { print($0.documentsLoaded, $0.totalDocuments, $0.bytesLoaded) }
    task.removeObserverWith(handle: handle)
    task.removeAllObservers()
    db.loadBundle(InputStream(data: Data()))
  }

  /// Every way to ask.
  public func query() -> Query {
    let people = db.collection("people")
    let filter = Filter.orFilter([
      .whereField("a", isEqualTo: 1), .whereField(FieldPath(["b"]), isGreaterOrEqualTo: 2),
      .andFilter([.whereField("c", arrayContains: "x"), .whereField("d", notIn: [1, 2])]),
    ])
    let query = people.whereField("age", isGreaterThan: 18).whereField("name", isNotEqualTo: "Ana")
      .whereField("tags", arrayContainsAny: ["a", "b"]).whereField(
        FieldPath.documentID(),
        in: ["ana"]
      )
      .whereFilter(filter).order(by: "age").order(by: "name", descending: true)
      .start(at: [18, "A"]).end(before: [60]).limit(to: 10)
    _ = db.collectionGroup("posts").order(by: FieldPath(["at"])).limit(toLast: 5).start(after: [1])
    return query == people ? people : query
  }

  /// Every way to listen.
  public func listen(from last: DocumentSnapshot) {
    registrations.append(
      query().addSnapshotListener { [weak self] snapshot, error in
        guard let snapshot else {
          let text = "Error fetching documents: \(String(describing: error))"
          MainActor.assumeIsolated { self?.message = text }
          return
        }
        snapshot.documentChanges.forEach { change in
          switch change.type {
          case .added: print("New: \(change.document.data())", change.newIndex)
          case .modified: print("Modified: \(change.document.data())")
          case .removed: print("Removed: \(change.document.documentID)", change.oldIndex)
          }
        }
      }
    )
    query().start(afterDocument: last).addSnapshotListener(includeMetadataChanges: true) {
      snapshot,
      _ in
      print(snapshot?.documentChanges(includeMetadataChanges: true).count ?? 0)
    }
    let options = SnapshotListenOptions().withSource(.cache).withIncludeMetadataChanges(true)
    query().addSnapshotListener(options: options) { _, _ in }
    let ana = db.document("people/ana")
    ana.addSnapshotListener { document, error in print(document?.exists ?? false, error ?? "") }
    ana.addSnapshotListener(includeMetadataChanges: true) { _, _ in }
    ana.addSnapshotListener(options: options) { _, _ in }
    for registration in registrations { registration.remove() }
  }

  /// A transaction with an error of its own.
  public func transfer(from: DocumentReference, to: DocumentReference, amount: Int) {
    db.runTransaction({ transaction, errorPointer -> Any? in
      let source: DocumentSnapshot
      do {
        try source = transaction.getDocument(from)
      } catch let failure as NSError {
        errorPointer?.pointee = failure
        return nil
      }
      guard let balance = source.data()?["balance"] as? Int, balance >= amount else {
        errorPointer?.pointee = NSError(
          domain: "Bank",
          code: -1,
          userInfo: [NSLocalizedDescriptionKey: "Too little"]
        )
        return nil
      }
      transaction.updateData(["balance": balance - amount], forDocument: from)
      transaction.setData(["balance": amount], forDocument: to, merge: true)
      transaction.setData(["x": 1], forDocument: to).deleteDocument(to)
      return balance - amount
    }) { result, error in
      print(result as? Int ?? 0, error ?? "")
    }
    let options = TransactionOptions()
    options.maxAttempts = 3
    db.runTransaction(with: options, block: { _, _ in nil }) { _, _ in }
  }
}

/// The same with `async`.
public struct DatabaseTasks: Sendable {
  /// No state.
  public init() {}

  /// Every asynchronous call.
  public func everything(_ person: Person) async throws {
    let db = Firestore.firestore()
    let people = db.collection("people")
    let ana = people.document("ana")
    try await ana.setData(["name": "Ana"])
    try await ana.setData(["name": "Ana"], merge: true)
    try await ana.setData(["name": "Ana"], mergeFields: ["name"])
    try ana.setData(from: person)
    try await ana.updateData(["age": 31])
    let bia = try await people.addDocument(data: ["name": "Bia"])
    try await people.addDocument(data: ["name": "Caio"])
    try await bia.delete()
    let snapshot = try await ana.getDocument()
    print(snapshot.exists, try await ana.getDocument(source: .server).documentID)
    let decoded = try await ana.getDocument(as: Person.self)
    print(decoded.name, try await people.getDocuments().count)
    print(try await people.getDocuments(source: .cache).documents.map(\.documentID))
    print(try await people.count.getAggregation(source: .server).count)
    let batch = db.batch()
    batch.setData(["a": 1], forDocument: ana)
    try await batch.commit()
    let result = try await db.runTransaction { transaction, errorPointer in
      do {
        let found = try transaction.getDocument(ana)
        transaction.updateData(["age": (found["age"] as? Int ?? 0) + 1], forDocument: ana)
        return found["age"]
      } catch {
        errorPointer?.pointee = error as NSError
        return nil
      }
    }
    print(result as? Int ?? 0)
    try await db.enableNetwork()
    try await db.disableNetwork()
    try await db.waitForPendingWrites()
    print(try await db.loadBundle(Data()).totalBytes, await db.getQuery(named: "people") ?? "none")
    for try await snapshot in people.order(by: "name").snapshots { print(snapshot.count) }
    for try await document in ana.snapshots(includeMetadataChanges: true) { print(document.exists) }
    try await db.terminate()
    try await db.clearPersistence()
  }

  /// The ways to tell errors apart.
  public func text(of error: any Error) -> String {
    if let error = error as? FirestoreErrorCode, error.code == .notFound { return "gone" }
    let code = FirestoreErrorCode.Code(rawValue: (error as NSError).code)
    return code == .permissionDenied ? "not allowed" : "\(FirestoreErrorCode.errorDomain)"
  }
}

/// On the main actor, where apps call from.
@MainActor
public final class DatabaseOnMain {
  private let db = Firestore.firestore()
  private var fields: [String: Any] = [:]

  /// No state.
  public init() {}

  /// Writes what it holds.
  public func save() async throws {
    try await db.document("people/ana").setData(fields)
    try await db.collection("people").addDocument(data: fields)
    try await db.document("people/ana").updateData(fields)
  }
}
