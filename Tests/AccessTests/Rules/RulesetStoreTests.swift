import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import KeyValueStore
import Logging
import SecurityRules
import Synchronization
import Testing

@testable import Access

struct RulesetStoreTests {
  private let engine = MemoryEngine()

  private func withStore<R>(_ body: (RulesetStore, Databases) throws -> R) throws -> R {
    let databases = try Databases(engine: engine, configuration: StoreConfiguration())
    defer { databases.close() }
    return try body(
      try RulesetStore(engine: databases.engine, log: Logger(label: "test")),
      databases
    )
  }

  private static func file(_ condition: String) -> RulesetFile {
    RulesetFile(
      name: "firestore.rules",
      content: """
        rules_version = '2';
        service cloud.firestore {
          match /{any=**} { allow read: if \(condition); }
        }
        """
    )
  }

  private static let target = RulesTarget.firestore(DatabaseID(project: "p"))
  private static let named = RulesTarget.firestore(DatabaseID(project: "p", database: "orders"))

  @Test func `a deployment is in force at once and after a restart`() throws {
    let id = try withStore { (store, _) throws in
      #expect(store.current(Self.target) == nil)
      let deployed = try store.deploy([Self.file("true")], to: [Self.target], project: "p")
      #expect(store.current(Self.target)?.id == deployed.id)
      #expect(store.current(Self.named) == nil)
      return deployed.id
    }
    try withStore { (store, _) throws in
      #expect(store.current(Self.target)?.id == id)
      #expect(store.current(Self.target)?.compiled.services == [.firestore])
      #expect(try store.ruleset(id, project: "p").files == [Self.file("true")])
      #expect(try store.releases(of: "p").map(\.name) == ["cloud.firestore"])
      #expect(try store.releases(of: "q").isEmpty)
    }
  }

  @Test func `a ruleset that does not compile changes nothing and says where`() throws {
    try withStore { (store, _) throws in
      let good = try store.deploy([Self.file("true")], to: [Self.target], project: "p")
      let error = #expect(throws: RulesCompileError.self) {
        try store.deploy([Self.file("1 +")], to: [Self.target], project: "p")
      }
      #expect(error?.message.contains("L3:") == true)
      #expect(store.current(Self.target)?.id == good.id)
      #expect(try store.rulesets(of: "p").map(\.id) == [good.id])
    }
  }

  @Test func `a ruleset without the target's service is refused`() throws {
    try withStore { (store, _) throws in
      #expect(throws: ServiceError.self) {
        try store.deploy(
          [Self.file("true")],
          to: [.storage(BucketID(project: "p", name: "b"))],
          project: "p"
        )
      }
      #expect(throws: ServiceError.self) {
        try store.deploy([Self.file("true")], to: [Self.target], project: "q")
      }
      #expect(throws: ServiceError.self) { try store.deploy([], to: [], project: "p") }
      #expect(try store.rulesets(of: "p").isEmpty)
      #expect(try store.rulesets(of: "q").isEmpty)
    }
  }

  @Test func `earlier versions can be put in force again`() throws {
    try withStore { (store, _) throws in
      let first = try store.deploy([Self.file("true")], to: [Self.target], project: "p")
      let second = try store.deploy([Self.file("false")], to: [Self.target], project: "p")
      #expect(try store.rulesets(of: "p").map(\.id) == [second.id, first.id])
      let before = try #require(store.releases(of: "p").first)
      let release = try store.release(first.id, to: Self.target)
      #expect(store.current(Self.target)?.id == first.id)
      #expect(release.createTime == before.createTime && release.updateTime > before.updateTime)
      #expect(throws: ServiceError.self) { try store.delete(first.id, project: "p") }
      try store.delete(second.id, project: "p")
      #expect(throws: ServiceError.self) { try store.release(second.id, to: Self.target) }
      #expect(throws: ServiceError.self) { try store.ruleset(second.id, project: "p") }
    }
  }

  @Test func `observers hear of every change after it took effect`() throws {
    try withStore { (store, _) throws in
      let heard = Mutex<[(RulesTarget, Text?)]>([])
      store.onChange { target in
        heard.withLock { $0.append((target, store.current(target)?.id)) }
      }
      let first = try store.deploy(
        [Self.file("true")],
        to: [Self.target, Self.named],
        project: "p"
      )
      try store.deleteRelease(Self.named)
      #expect(throws: ServiceError.self) { try store.deleteRelease(Self.named) }
      let seen = heard.withLock { $0 }
      #expect(seen.map(\.0) == [Self.target, Self.named, Self.named])
      #expect(seen.map(\.1) == [first.id, first.id, nil])
    }
  }

  @Test func `a project keeps a bounded number of rulesets, those in force always`() throws {
    try withStore { (store, _) throws in
      let first = try store.deploy([Self.file("true")], to: [Self.target], project: "p")
      for _ in 0..<(RulesetCatalog.maximumRulesets + 5) {
        _ = try store.create([Self.file("false")], project: "p")
      }
      let kept = try store.rulesets(of: "p")
      #expect(kept.count == RulesetCatalog.maximumRulesets)
      #expect(kept.last?.id == first.id)
    }
  }

  @Test func `stored rules that do not compile deny everything`() throws {
    try withStore { _, databases in
      _ = try RulesetCatalog(engine: databases.engine).deploy(
        project: "p",
        id: "broken",
        files: [RulesetFile(name: "f", content: "service")],
        releases: ["cloud.firestore"]
      ) { _ in }
    }
    try withStore { (store, _) throws in
      let rules = try #require(store.current(Self.target))
      let session = RulesSession(
        ruleset: rules.compiled,
        database: "(default)",
        dataSource: NoDocuments(),
        digests: NoDigests()
      )
      for method in RulesMethod.allCases {
        let request = RulesRequest(
          method: method,
          path: ["databases", "(default)", "documents", "c", "d"],
          time: Timestamp(microseconds: 0)
        )
        #expect(try !session.evaluate(request).isAllowed)
      }
    }
  }

  @Test(arguments: [
    ("cloud.firestore", Self.target), ("cloud.firestore/orders", Self.named),
    ("firebase.storage/b", RulesTarget.storage(BucketID(project: "p", name: "b"))),
    ("cloud.firestore/", nil), ("firebase.storage", nil), ("other", nil), ("", nil),
    ("cloud.firestore/a/b", nil),
  ])
  func `a release's name says what it is for`(name: String, target: RulesTarget?) {
    #expect(RulesTarget(project: "p", releaseName: Text(name)) == target)
    if let target { #expect(target.releaseName == Text(name)) }
  }
}

private struct NoDocuments: RulesDataSource {
  func document(at path: ResourcePath) -> RulesDocument? { nil }
  func documentAfter(at path: ResourcePath) -> RulesDocument? { nil }
}

private struct NoDigests: RulesDigests {
  func md5(_ bytes: [UInt8]) -> [UInt8] { [] }
  func sha256(_ bytes: [UInt8]) -> [UInt8] { [] }
}

extension RulesetStoreTests {
  @Test func `a verification finds what is damaged and what is missing`() throws {
    try withStore { (store, _) throws in
      let first = try store.deploy([Self.file("true")], to: [Self.target], project: "p")
      let second = try store.deploy([Self.file("false")], to: [Self.named], project: "p")
      #expect(try Self.differences(store) == [])
      let keys = (
        MetaKey.ruleset(project: "p", id: first.id), MetaKey.ruleset(project: "p", id: second.id)
      )
      try engine.write { group in
        try group.delete(keys.0)
        try group.put(keys.1, [0x01])
      }
      let found = try Self.differences(store)
      #expect(found.count == 2)
      #expect(found.first?.hasPrefix("damaged ruleset: key ") == true)
      #expect(
        found.last == "missing ruleset: projects/p/rulesets/\(first.id.string) of the release "
          + "cloud.firestore"
      )
    }
  }

  private static func differences(_ store: RulesetStore) throws -> [String] {
    var found: [String] = []
    _ = try store.verify { found.append($0) }
    return found
  }
}
