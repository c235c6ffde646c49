import BaseStatus
import BaseText

#if os(Linux)
import Dispatch
import FirestoreModel
import Foundation
import KeyValueStore
import PostgresTestSupport
import Synchronization
import Testing

@testable import DocumentStore

/// Tests of the state in memory after a group that failed, on an engine that goes on.
@Suite(
  "Groups that fail",
  .enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing))
)
struct FailedGroupTests {
  @Test func `definitions that changed twice in a group are those from before`() async throws {
    let (node, relay) = try await Self.node()
    let database = try await node.database()
    var isTogether = false
    // Until both are in the group that fails; one that comes too late is in another.
    for round in 0..<50 where !isTogether {
      let known = database.indexDefinitions.indexes
      let groups = try Self.failGroup(of: node, relay, calls: 2) { number, note in
        try database.changeIndexes { set, group in
          note(group)
          let definition = try IndexDefinition(
            collectionID: "c",
            scope: .collection,
            parts: ["f\(round)-\(number)", "n"].map {
              .field(IndexedField(FieldPath([Text($0)]), .ascending))
            }
          )
          set.lastNumber += 1
          set.declared.append(
            DeclaredIndex(
              number: set.lastNumber,
              definition: definition,
              state: .ready(since: .zero)
            )
          )
        }
      }
      isTogether = groups.count == 2 && groups[0] == groups[1]
      if isTogether { #expect(database.indexDefinitions.indexes == known) }
    }
    #expect(isTogether)
    try node.close()
    relay.end()
  }

  @Test func `nobody is refused for what did not come to be`() async throws {
    let (node, relay) = try await Self.node()
    let database = try await node.database()
    let codes = Mutex<[StatusCode?]>([])
    let over = DispatchGroup()
    try Self.failGroup(of: node, relay, calls: 0) { _, _ in
    } alongside: {
      for _ in 0..<2 {
        over.enter()
        database.commit(CommitProposal(writes: [create("c/same", [:])])) { outcome in
          var code: StatusCode?
          if case .failure(let error) = outcome { code = (error as? ServiceError)?.code }
          codes.withLock { $0.append(code) }
          over.leave()
        }
      }
    }
    over.wait()
    #expect(codes.withLock { $0 } == [.unavailable, .unavailable])
    try await database.commit(create("c/same", [:]))
    try node.close()
    relay.end()
  }

  @Test func `who listens to a database that was not cleared after all hears of it`() async throws {
    let (node, relay) = try await Self.node()
    let incarnation = try await node.database().incarnation
    relay.cutNextCommit(.request)
    #expect(throws: (any Error).self) { try node.store.clear(SharedNode.id) }
    #expect(node.published.retired == [incarnation])
    let database = try await node.database()
    #expect(database.incarnation == incarnation)
    try await database.commit(create("c/same", [:]))
    try node.close()
    relay.end()
  }

  private static func node() async throws -> (SharedNode, CuttingRelay) {
    let relay = try CuttingRelay(
      to: PostgresServer.shared.get().directory,
      isShared: true
    )
    let node = try SharedNode(SharedNode.schema(), at: PostgresServer.address(relay.directory))
    try await node.database().commit(create("c/first", [:]))
    return (node, relay)
  }

  /// Has calls write while a group is under way, and the next group fail; answers in which groups they were, as far as `note` was told.
  @discardableResult
  private static func failGroup(
    of node: SharedNode,
    _ relay: CuttingRelay,
    calls: Int,
    _ call: @escaping @Sendable (Int, (any KeyValueGroup) -> Void) throws -> Void,
    alongside: () -> Void = {}
  ) throws -> [ObjectIdentifier] {
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    node.engine.submit(
      QueuedWrite(.interactive) { _ in
        entered.signal()
        gate.wait()
      } completion: { _ in
      }
    )
    entered.wait()
    relay.cutNextCommit(.request)
    let groups = Mutex<[ObjectIdentifier]>([])
    let (begun, over) = (DispatchGroup(), DispatchGroup())
    for number in 0..<calls {
      begun.enter()
      over.enter()
      Thread.detachNewThread {
        begun.leave()
        try? call(number) { group in groups.withLock { $0.append(ObjectIdentifier(group)) } }
        over.leave()
      }
    }
    begun.wait()
    for _ in 0..<1_000 { sched_yield() }
    alongside()
    gate.signal()
    over.wait()
    return groups.withLock { $0 }
  }
}
#endif
