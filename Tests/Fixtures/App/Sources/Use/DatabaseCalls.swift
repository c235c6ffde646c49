import FirebaseFirestore
import Foundation

// What the other files of the database leave out.

/// Settings that old apps still write.
public func oldSettings() -> FirestoreSettings {
  let settings = FirestoreSettings()
  let copy = settings.copy() as? FirestoreSettings
  print(settings == copy, settings.host, settings.isSSLEnabled, FirestoreCacheSizeUnlimited)
  let caches: [LocalCacheSettings & NSObjectProtocol] = [
    PersistentCacheSettings(), MemoryCacheSettings(),
    PersistentCacheSettings(sizeBytes: 50 * 1_048_576 as NSNumber),
    MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings()),
  ]
  if let first = caches.first { settings.cacheSettings = first }
  let collector: MemoryGarbageCollectorSettings = MemoryEagerGCSetting()
  print(collector)
  return settings
}

/// Makes the calls that only old apps make.
@available(*, deprecated)
public func oldCalls(_ firestore: Firestore) async throws {
  let settings = FirestoreSettings()
  settings.isPersistenceEnabled = false
  settings.cacheSizeBytes = FirestoreCacheSizeUnlimited
  firestore.setIndexConfiguration("{}") { error in print(error ?? "set") }
  firestore.setIndexConfiguration(InputStream(data: Data())) { error in print(error ?? "set") }
  try await firestore.setIndexConfiguration("{}")
  try await firestore.setIndexConfiguration(InputStream(data: Data()))
}

/// Every filter of a query, by names and by paths.
public func everyFilter(_ people: CollectionReference, _ path: FieldPath) -> [Query] {
  [
    people.whereField("a", isEqualTo: 1), people.whereField(path, isEqualTo: 1),
    people.whereField("a", isNotEqualTo: 1), people.whereField(path, isNotEqualTo: 1),
    people.whereField("a", isLessThan: 1), people.whereField(path, isLessThan: 1),
    people.whereField("a", isLessThanOrEqualTo: 1),
    people.whereField(path, isLessThanOrEqualTo: 1),
    people.whereField("a", isGreaterThan: 1), people.whereField(path, isGreaterThan: 1),
    people.whereField("a", isGreaterThanOrEqualTo: 1),
    people.whereField(path, isGreaterThanOrEqualTo: 1),
    people.whereField("a", arrayContains: 1), people.whereField(path, arrayContains: 1),
    people.whereField("a", arrayContainsAny: [1]), people.whereField(path, arrayContainsAny: [1]),
    people.whereField("a", in: [1]), people.whereField(path, in: [1]),
    people.whereField("a", notIn: [1]), people.whereField(path, notIn: [1]),
    people.order(by: path, descending: true), people.order(by: "a"),
  ]
}

/// Every filter by itself.
public func everyCondition(_ path: FieldPath) -> Filter {
  Filter.andFilter([
    .whereField("a", isEqualTo: 1), .whereField(path, isEqualTo: 1),
    .whereField("a", isNotEqualTo: 1), .whereField(path, isNotEqualTo: 1),
    .whereField("a", isGreaterThan: 1), .whereField(path, isGreaterThan: 1),
    .whereField("a", isGreaterOrEqualTo: 1), .whereField(path, isGreaterOrEqualTo: 1),
    .whereField("a", isLessThan: 1), .whereField(path, isLessThan: 1),
    .whereField("a", isLessThanOrEqualTo: 1), .whereField(path, isLessThanOrEqualTo: 1),
    .whereField("a", arrayContains: 1), .whereField(path, arrayContains: 1),
    .whereField("a", arrayContainsAny: [1]), .whereField(path, arrayContainsAny: [1]),
    .whereField("a", in: [1]), .whereField(path, in: [1]),
    .whereField("a", notIn: [1]), .whereField(path, notIn: [1]),
    .orFilter([.whereField("b", isEqualTo: true)]),
  ])
}

/// Every cursor.
public func pages(_ query: Query, from document: DocumentSnapshot) -> [Query] {
  [
    query.start(at: [1]), query.start(after: [1]), query.end(at: [1]), query.end(before: [1]),
    query.start(atDocument: document), query.start(afterDocument: document),
    query.end(atDocument: document), query.end(beforeDocument: document),
  ]
}

/// Every special value.
public func everyValue() -> [String: Any] {
  let point = GeoPoint(latitude: -23.55, longitude: -46.63)
  let vector = FieldValue.vector([1.0, 2.0] as [Double])
  let floats: VectorValue = FieldValue.vector([1, 2] as [Float])
  print(point.latitude, point.longitude, vector.array, VectorValue([1]) == floats)
  return [
    "gone": FieldValue.delete(), "at": FieldValue.serverTimestamp(),
    "more": FieldValue.arrayUnion([1, "a"]), "less": FieldValue.arrayRemove([2]),
    "count": FieldValue.increment(Int64(1)), "sum": FieldValue.increment(0.5), "place": point,
    "vector": vector, "id": FieldPath.documentID(),
  ]
}

/// Results with all of their parts.
public func describe(_ snapshot: QuerySnapshot) -> [String] {
  let metadata: SnapshotMetadata = snapshot.metadata
  print(metadata.isFromCache, metadata.hasPendingWrites, snapshot.query.firestore.app.name)
  let changes: [DocumentChange] = snapshot.documentChanges(includeMetadataChanges: false)
  for change in changes where change.newIndex != UInt(NSNotFound) {
    let type: DocumentChangeType = change.type
    let document: QueryDocumentSnapshot = change.document
    print(type.rawValue, document.data(with: .none), change.oldIndex)
  }
  return snapshot.documents.map { document in
    let reference: DocumentReference = document.reference
    let collection: CollectionReference = reference.parent
    return "\(collection.document().documentID) \(collection.document("x").collection("y").path)"
  }
}

/// Aggregations with all of their parts.
public func aggregate(_ query: Query) async throws -> Any {
  let fields: [AggregateField] = [
    .count(), .sum("a"), .sum(FieldPath(["a", "b"])), .average("a"), .average(FieldPath(["a"])),
  ]
  let asked: AggregateQuery = query.aggregate(fields)
  let source: AggregateSource = .server
  let snapshot: AggregateQuerySnapshot = try await asked.getAggregation(source: source)
  print(snapshot.query == asked, snapshot.count, asked.query)
  return snapshot.get(.sum("a"))
}

/// Bundles with all of their parts.
public func load(_ bundle: Data, into firestore: Firestore) async throws -> Bool {
  let task: LoadBundleTask = firestore.loadBundle(InputStream(data: bundle)) { progress, error in
    print(progress ?? "none", error ?? "none")
  }
  let handle: LoadBundleObserverHandle = task.addObserver { progress in
    switch progress.state {
    case .error: print("failed")
    case .inProgress: print(progress.bytesLoaded, progress.totalBytes)
    case .success: print(progress.documentsLoaded, progress.totalDocuments)
    @unknown default: break
    }
  }
  task.removeObserverWith(handle: handle)
  let progress: LoadBundleTaskProgress = try await firestore.loadBundle(InputStream(data: bundle))
  return progress.state == .success
}

/// Indexes of the cache.
public func indexes(of firestore: Firestore) {
  let indexes: PersistentCacheIndexManager? = firestore.persistentCacheIndexManager
  indexes?.enableIndexAutoCreation()
  indexes?.disableIndexAutoCreation()
  indexes?.deleteAllIndexes()
}

/// Models in transactions and batches.
public func store(_ person: Person, in document: DocumentReference) throws {
  let batch: WriteBatch = document.firestore.batch()
  try batch.setData(from: person, forDocument: document, mergeFields: ["name"])
  try batch.setData(from: person, forDocument: document, encoder: Firestore.Encoder())
  document.firestore.runTransaction { (transaction: Transaction, errorPointer) -> Any? in
    do {
      try transaction.setData(from: person, forDocument: document)
        .setData(from: person, forDocument: document, merge: true)
        .setData(from: person, forDocument: document, mergeFields: ["name"])
        .setData(["a": 1], forDocument: document, mergeFields: ["a"])
    } catch {
      errorPointer?.pointee = error as NSError
    }
    return nil
  } completion: { _, _ in
  }
  let options = TransactionOptions()
  print((options.copy() as? TransactionOptions)?.maxAttempts ?? 5)
}

/// A model with a decoder of its own.
public func read(_ document: DocumentReference) async throws -> Person {
  let decoder = Firestore.Decoder()
  decoder.dateDecodingStrategy = .timestamp
  decoder.dataDecodingStrategy = .blob
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  decoder.nonConformingFloatDecodingStrategy = .convertFromString(
    positiveInfinity: "+",
    negativeInfinity: "-",
    nan: "?"
  )
  let snapshot = try await document.getDocument(source: FirestoreSource.default)
  if let person = try? snapshot.data(as: Person?.self, with: .estimate, decoder: decoder) {
    return person
  }
  let fields = snapshot.data(with: ServerTimestampBehavior.previous) ?? [:]
  if let person = try? decoder.decode(Person.self, from: fields, in: document) { return person }
  return try await document.getDocument(as: Person.self, with: .estimate, source: .server)
}

/// A model with an encoder of its own.
public func fields(of person: Person) throws -> [String: Any] {
  let encoder = Firestore.Encoder()
  encoder.dataEncodingStrategy = .base64
  encoder.dateEncodingStrategy = .secondsSince1970
  encoder.nonConformingFloatEncodingStrategy = .throw
  encoder.keyEncodingStrategy = .custom { $0[$0.count - 1] }
  encoder.userInfo = [:]
  do {
    return try encoder.encode(person)
  } catch FirestoreEncodingError.encodingIsNotSupported(let reason) {
    print(reason)
  } catch FirestoreDecodingError.decodingIsNotSupported(let reason) {
    print(reason)
  } catch FirestoreDecodingError.fieldNameConflict(let field) {
    print(field)
  }
  return [:]
}

/// Listeners with all of their options.
public func listen(to query: Query) async throws {
  let options = SnapshotListenOptions()
  print(options.source == ListenSource.default, options.includeMetadataChanges)
  let registration: ListenerRegistration = query.addSnapshotListener(
    options: options.withSource(.cache)
  ) { _, _ in }
  registration.remove()
  let snapshots: Query.QuerySnapshotsSequence = query.snapshots(includeMetadataChanges: true)
  for try await snapshot in snapshots { print(describe(snapshot)) }
  let document = query.firestore.document("people/ana")
  let states: DocumentReference.DocumentSnapshotsSequence = document.snapshots
  for try await state in states { print(state.exists) }
}

/// Every code of an error.
public func name(of code: FirestoreErrorCode.Code) -> String {
  switch code {
  case .OK: "ok"
  case .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound: "once"
  case .alreadyExists, .permissionDenied, .resourceExhausted, .failedPrecondition: "asked"
  case .aborted, .outOfRange, .unimplemented, .internal, .unavailable, .dataLoss: "again"
  case .unauthenticated: FirestoreErrorCode(.unauthenticated).localizedDescription
  @unknown default: FirestoreErrorDomain
  }
}
