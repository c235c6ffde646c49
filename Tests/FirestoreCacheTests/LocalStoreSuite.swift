import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync
import Testing

/// The requirements on every local store; run once for each conformance.
struct LocalStoreSuite {
  private let store: any LocalStore
  private let database = DatabaseID(project: "p")

  init(_ store: any LocalStore) { self.store = store }

  func documentsAreFoundByPathAndCollection() throws {
    let first = document("c/a", version: 1, readTime: 10)
    let second = document("c/b", version: 2, readTime: 20)
    let nested = document("c/a/d/x", version: 3, readTime: 30)
    try transact { try store.save([first, second, nested]) }
    let (named, all, newer, bytes) = try transact {
      (
        try store.documents([path("c/a"), path("c/none")]),
        try store.documents(in: path("c"), readAfter: .zero),
        try store.documents(in: path("c"), readAfter: CommitVersion(microseconds: 10)),
        try store.documentBytes()
      )
    }
    #expect(Set(named.keys) == [path("c/a")])
    #expect(named[path("c/a")]?.version == CommitVersion(microseconds: 1))
    #expect(named[path("c/a")]?.fields == first.fields)
    #expect(Set(all.map(\.path)) == [path("c/a"), path("c/b")])
    #expect(newer.map(\.path) == [path("c/b")])
    #expect(bytes > 0)
    try transact { try store.removeDocuments([path("c/a"), path("c/b"), path("c/a/d/x")]) }
    #expect(try transact { try store.documents(in: path("c"), readAfter: .zero) }.isEmpty)
    #expect(try transact { try store.documentBytes() } == 0)
  }

  func everyStateOfADocumentIsKept() throws {
    let contents: [CachedDocument.Content] = [
      .found(DocumentFields(encoding: map(7))), .missing, .unknown,
    ]
    for content in contents {
      for mutations in [CachedDocument.Mutations.none, .committed] {
        let saved = CachedDocument(
          name: DocumentName(database: database, path: path("c/a")),
          content: content,
          version: CommitVersion(microseconds: 4),
          createTime: CommitVersion(microseconds: 3),
          readTime: CommitVersion(microseconds: 5),
          mutations: mutations
        )
        try transact { try store.save([saved]) }
        let found = try #require(try transact { try store.documents([path("c/a")]) }[path("c/a")])
        #expect(found.name == saved.name)
        #expect(found.content == content)
        #expect(found.mutations == mutations)
        #expect(found.version == saved.version)
        #expect(found.createTime == saved.createTime)
        #expect(found.readTime == saved.readTime)
      }
    }
  }

  func collectionsAreKnownByTheirIDs() throws {
    try transact { () throws -> Void in
      try store.save([document("c/a", version: 1), document("x/y/c/b", version: 1)])
      try store.append(batch(1, "z/y/c/w"), user: "u")
    }
    let found = try transact { try store.collections(withID: "c") }
    #expect(Set(found) == [path("c"), path("x/y/c"), path("z/y/c")])
    #expect(try transact { try store.collections(withID: "none") }.isEmpty)
  }

  func batchesAreQueuedByUser() throws {
    try transact { () throws -> Void in
      try store.append(batch(1, "c/a"), user: "u")
      try store.append(batch(2, "c/b"), user: nil)
      try store.append(batch(3, "c/a", "c/b"), user: "u")
    }
    try transact { () throws -> Void in
      #expect(try store.batches(user: "u").map(\.id) == [1, 3])
      #expect(try store.batches(user: nil).map(\.id) == [2])
      #expect(try store.batches(user: "other").isEmpty)
      #expect(try store.batch(after: 0, user: "u")?.id == 1)
      #expect(try store.batch(after: 1, user: "u") == batch(3, "c/a", "c/b"))
      #expect(try store.batch(after: 3, user: "u") == nil)
      #expect(try store.batch(2, user: "u") == nil)
      #expect(try store.batches(of: [path("c/b")], user: "u").map(\.id) == [3])
      #expect(try store.highestBatchID(user: "u") == 3)
      #expect(try store.highestBatchID(user: "other") == nil)
      #expect(try store.mutated(among: [path("c/a"), path("c/z")]) == [path("c/a")])
    }
    try transact { try store.removeBatch(3, user: "u") }
    try transact { () throws -> Void in
      #expect(try store.batches(user: "u").map(\.id) == [1])
      #expect(try store.mutated(among: [path("c/a"), path("c/b")]) == [path("c/a"), path("c/b")])
      try store.removeBatch(2, user: nil)
      #expect(try store.mutated(among: [path("c/b")]).isEmpty)
    }
  }

  func overlaysBelongToUsersAndCollections() throws {
    let set = Overlay(batch: 1, change: .set(DocumentFields(encoding: map(1))))
    let patch = Overlay(
      batch: 2,
      change: .patch(DocumentFields(encoding: map(2)), mask: [FieldPath(["n"])])
    )
    let delete = Overlay(batch: 3, change: .delete)
    try transact { () throws -> Void in
      try store.save(
        [path("c/a"): set, path("c/b"): patch, path("c/b/d/x"): delete],
        user: "u"
      )
      try store.save([path("c/a"): delete], user: nil)
    }
    try transact { () throws -> Void in
      #expect(try store.overlays([path("c/a")], user: "u") == [path("c/a"): set])
      #expect(try store.overlays([path("c/a")], user: nil) == [path("c/a"): delete])
      #expect(
        try store.overlays(in: path("c"), user: "u") == [path("c/a"): set, path("c/b"): patch]
      )
      try store.removeOverlays([path("c/a")], user: "u")
      #expect(try store.overlays(in: path("c"), user: "u") == [path("c/b"): patch])
      #expect(try store.overlays(in: path("c"), user: nil) == [path("c/a"): delete])
    }
  }

  func targetsKeepTheirKeys() throws {
    let query = try ListenQuery(Query(scope: .collection("c")))
    var data = TargetData(target: query.target, id: 2, sequenceNumber: 5)
    data.resumeToken = [1, 2, 3]
    data.snapshotVersion = CommitVersion(microseconds: 9)
    data.lastLimboFreeVersion = CommitVersion(microseconds: 8)
    let saved = data
    let other = TargetData(target: Target(.document(path("c/a"))), id: 4, sequenceNumber: 6)
    try transact { () throws -> Void in
      try store.save(saved)
      try store.save(other)
      try store.addKeys([path("c/a"), path("c/b")], toTarget: 2)
      try store.addKeys([path("c/a")], toTarget: 4)
    }
    try transact { () throws -> Void in
      #expect(try store.target(query.target) == saved)
      #expect(Set(try store.targets().map(\.id)) == [2, 4])
      #expect(try store.keys(ofTarget: 2) == [path("c/a"), path("c/b")])
      try store.removeKeys([path("c/b")], fromTarget: 2)
      #expect(try store.matched(among: [path("c/a"), path("c/b")]) == [path("c/a")])
      try store.removeTarget(2)
      #expect(try store.target(query.target) == nil)
      #expect(try store.matched(among: [path("c/a")]) == [path("c/a")])
      try store.removeTarget(4)
      #expect(try store.matched(among: [path("c/a")]).isEmpty)
    }
  }

  func usesAreOrdered() throws {
    try transact { () throws -> Void in
      try store.save([
        document("c/a", version: 1), document("c/b", version: 1), document("c/d", version: 1),
      ])
      try store.touch([path("c/a")], sequenceNumber: 7)
      try store.touch([path("c/b")], sequenceNumber: 3)
      try store.touch([path("c/d")], sequenceNumber: 9)
    }
    try transact { () throws -> Void in
      #expect(try store.leastRecentlyUsed(upTo: 7) == [path("c/b"), path("c/a")])
      #expect(try store.sequenceNumbers().sorted() == [3, 7, 9])
    }
  }

  func recordsAndNumbersAreKept() throws {
    let bundle = BundleRecord(id: "b", createTime: CommitVersion(microseconds: 3), version: 1)
    var query = Query(scope: .collectionGroup("c"))
    query.filter = .field(FieldPath(["n"]), .in, .array([.integer(1), .string("x")]))
    query.orders = [Order(FieldPath(["n"]), .descending)]
    query.start = Cursor(values: [.integer(4)], before: true)
    query.limit = 3
    let named = NamedQuery(
      name: "q",
      query: query,
      limitType: .last,
      readTime: CommitVersion(microseconds: 4)
    )
    var globals = StoreGlobals()
    globals.highestBatchID = 4
    globals.highestTargetID = 6
    globals.highestSequenceNumber = 8
    globals.snapshotVersion = CommitVersion(microseconds: 10)
    let saved = globals
    try transact { () throws -> Void in
      #expect(try store.globals() == StoreGlobals())
      #expect(try store.bundle("b") == nil)
      try store.save(bundle)
      try store.save(named)
      try store.save(saved)
    }
    try transact { () throws -> Void in
      #expect(try store.bundle("b") == bundle)
      #expect(try store.namedQuery("q") == named)
      #expect(try store.namedQuery("none") == nil)
      #expect(try store.globals() == saved)
    }
  }

  func everyKindOfWriteIsKept() throws {
    let name = DocumentName(database: database, path: path("c/a/d/__id7__"))
    let fields = DocumentFields(encoding: map(3))
    let writes = [
      Write(name: name, operation: .update(fields, mask: nil), precondition: .exists(false)),
      Write(
        name: name,
        operation: .update(fields, mask: [FieldPath(["a", "b.c"]), FieldPath(["n"])])
      ),
      Write(
        name: name,
        operation: .delete,
        precondition: .updateTime(CommitVersion(microseconds: 5))
      ),
      Write(name: name, operation: .verify, precondition: .exists(true)),
      Write(name: name, operation: .transform, transforms: transforms),
    ]
    let saved = MutationBatch(
      id: 7,
      localWriteTime: Timestamp(microseconds: 12_000_345),
      baseWrites: [Write(name: name, operation: .update(fields, mask: [FieldPath(["n"])]))],
      writes: writes
    )
    try transact { try store.append(saved, user: "u") }
    #expect(try transact { try store.batch(7, user: "u") } == saved)
  }

  private var transforms: [FieldTransform] {
    [
      FieldTransform(field: FieldPath(["t"]), operation: .serverTimestamp),
      FieldTransform(field: FieldPath(["n", "m"]), operation: .increment(.double(-0.0))),
      FieldTransform(field: FieldPath(["n"]), operation: .maximum(.integer(.max))),
      FieldTransform(field: FieldPath(["n"]), operation: .minimum(.integer(.min))),
      FieldTransform(
        field: FieldPath(["l"]),
        operation: .appendMissingElements([.null, .string(""), .map(map(1))])
      ),
      FieldTransform(field: FieldPath(["l"]), operation: .removeAllFromArray([])),
    ]
  }

  func targetsAreFoundByWhatTheyGive() throws {
    var query = Query(parent: path("x/y"), scope: .collectionGroup("c"))
    query.filter = .and([
      .field(FieldPath(["n"]), .greaterThan, .integer(1)),
      .or([
        .unary(FieldPath(["a", "b"]), .isNull),
        .field(FieldPath(["l"]), .arrayContainsAny, .array([.string("x"), .boolean(true)])),
      ]),
    ])
    query.start = Cursor(values: [.integer(2)], before: true)
    query.orders = [Order(FieldPath(["n"]), .descending)]
    query.limit = 5
    let target = try ListenQuery(query).target
    let limited = try ListenQuery(query, limitType: .last).target
    let data = TargetData(target: target, id: 2, sequenceNumber: 1)
    let other = TargetData(target: limited, id: 4, sequenceNumber: 2)
    try transact { () throws -> Void in
      try store.save(data)
      try store.save(other)
    }
    // The same results, said in another way.
    var same = query
    same.orders.append(Order(.documentName, .descending))
    let found = try transact { try store.target(try ListenQuery(same).target) }
    #expect(found?.id == 2)
    #expect(try transact { try store.target(limited) } == other)
    query.limit = 6
    let wider = try ListenQuery(query).target
    #expect(try transact { try store.target(wider) } == nil)
  }

  func failingLabelsFailBeforeTheBody() throws {
    store.failingLabels = [.writeLocally]
    var didRun = false
    #expect(throws: LocalStoreError.self) {
      try store.transaction(.writeLocally) { didRun = true }
    }
    #expect(!didRun)
    try store.transaction(.start) { didRun = true }
    #expect(didRun)
  }

  // MARK: Making values

  @discardableResult
  private func transact<R>(_ body: () throws -> R) throws -> R {
    try store.transaction(.start, body)
  }

  private func path(_ text: String) -> ResourcePath {
    ResourcePath(text.split(separator: "/").map { Text(String($0)) })
  }

  private func map(_ number: Int64) -> MapValue {
    MapValue([MapValue.Entry(key: "n", value: .integer(number))])
  }

  private func document(_ text: String, version: Int64, readTime: Int64 = 1) -> CachedDocument {
    CachedDocument(
      name: DocumentName(database: database, path: path(text)),
      content: .found(DocumentFields(encoding: map(version))),
      version: CommitVersion(microseconds: version),
      readTime: CommitVersion(microseconds: readTime)
    )
  }

  private func batch(_ id: BatchID, _ paths: String...) -> MutationBatch {
    let writes = paths.map { text in
      Write(
        name: DocumentName(database: database, path: path(text)),
        operation: .update(DocumentFields(encoding: map(Int64(id))), mask: [FieldPath(["n"])]),
        transforms: [FieldTransform(field: FieldPath(["k"]), operation: .increment(.integer(2)))],
        precondition: .exists(true)
      )
    }
    return MutationBatch(
      id: id,
      localWriteTime: Timestamp(microseconds: Int64(id) * 1_000),
      baseWrites: [],
      writes: writes
    )
  }
}
