import AccessTestSupport
import BaseStatus
import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel
import Synchronization
import Testing

@testable import Access
@testable import FirestoreService

/// No write lands on a decision that became stale, however many clients change what it rests on.
struct StaleDecisionTests {
  private static let root = "projects/p/databases/(default)/documents"

  /// Follows all commits in their order and notes user writes that the rules of that moment deny.
  private final class Auditor: CommitObserver {
    struct State {
      var isActive: [Text: Bool] = [:]
      var landed = 0
      var violations: [String] = []
    }

    let state = Mutex(State())

    func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit]) {
      let commits = commits()
      state.withLock { state in
        for commit in commits { for change in commit.changes { note(change, &state) } }
      }
    }

    func missedCommits() {}

    func databaseRetired(_ id: DatabaseID, incarnation: Incarnation) {}

    private func note(_ change: PublishedCommit.Change, _ state: inout State) {
      let new = change.new?.fields.decoded()
      let old = change.old?.fields.decoded()
      if change.path.segments.first == "roles", let id = change.path.lastID {
        state.isActive[id] = new?["active"] == .boolean(true)
      }
      guard change.path.segments.first == "d", let author = new?["by"], new?["seq"] != old?["seq"],
        case .string(let uid) = author
      else { return }
      state.landed += 1
      if old?["owner"] != author { state.violations.append("\(uid.string) is no owner") }
      if state.isActive[uid] != true { state.violations.append("\(uid.string) is not active") }
      if new?["owner"] != old?["owner"] { state.violations.append("the owner changed") }
    }
  }

  private static let rules = """
    match /d/{id} {
      allow update: if request.auth.uid == resource.data.owner
        && request.resource.data.owner == resource.data.owner
        && get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.active;
    }
    """

  @Test func `an owner change that races an update never lets it through`() async throws {
    let auditor = Auditor()
    let fixture = try ServiceFixture(rules: Self.rules, threads: 4, observer: auditor)
    defer { fixture.close() }
    let administrator = ServiceFixture.context(authorization: "Bearer owner")
    try await set(fixture, "roles/alice", #""active":{"booleanValue":true}"#, administrator)
    try await set(fixture, "roles/bob", #""active":{"booleanValue":true}"#, administrator)
    try await set(fixture, "d/x", #""owner":{"stringValue":"alice"}"#, administrator)
    // However the race goes, the rules allow something and deny something.
    let owner = try await update(fixture, 0, rounds: 1)
    let other = try await update(fixture, 1, rounds: 1)
    #expect(owner == (1, 0))
    #expect(other == (0, 1))
    let allowed = try await withThrowingTaskGroup(of: (allowed: Int, denied: Int).self) { group in
      for worker in 0..<2 {
        group.addTask {
          for round in 0..<150 {
            let uid = (round + worker).isMultiple(of: 2) ? "alice" : "bob"
            try await set(
              fixture,
              "d/x",
              #""owner":{"stringValue":"\#(uid)"}"#,
              administrator,
              mask: "owner"
            )
            let active = round.isMultiple(of: 3)
            try await set(
              fixture,
              "roles/\(uid)",
              #""active":{"booleanValue":\#(active)}"#,
              administrator
            )
          }
          return (0, 0)
        }
      }
      // No update writes what is there: that would be allowed and change nothing.
      for worker in 2..<8 {
        group.addTask { try await update(fixture, worker, rounds: 150) }
      }
      return try await group.reduce(owner.allowed) { $0 + $1.allowed }
    }
    let state = auditor.state.withLock { $0 }
    #expect(state.violations.isEmpty)
    #expect(state.landed == allowed)
  }

  private func update(
    _ fixture: ServiceFixture,
    _ worker: Int,
    rounds: Int
  ) async throws -> (allowed: Int, denied: Int) {
    var counts = (allowed: 0, denied: 0)
    let uid = worker.isMultiple(of: 2) ? "alice" : "bob"
    let context = ServiceFixture.context(
      authorization: TestTokens.bearer(uid, isSigned: false),
      memory: CallerMemory()
    )
    for round in 0..<rounds {
      do {
        try await set(
          fixture,
          "d/x",
          #""by":{"stringValue":"\#(uid)"},"seq":{"stringValue":"\#(worker)-\#(round)"}"#,
          context,
          mask: "by&updateMask.fieldPaths=seq"
        )
        counts.allowed += 1
      } catch let error as ServiceError {
        #expect(error.code == .permissionDenied)
        counts.denied += 1
      }
    }
    return counts
  }

  private func set(
    _ fixture: ServiceFixture,
    _ path: String,
    _ fields: String,
    _ context: CallContext,
    mask: String? = nil
  ) async throws {
    let query = mask.map { "?updateMask.fieldPaths=\($0)" } ?? ""
    _ = try await fixture.call(
      "PATCH",
      "/\(path)\(query)",
      "{\"fields\":{\(fields)}}",
      context: context
    )
  }
}
