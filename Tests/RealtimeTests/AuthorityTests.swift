import DocumentStore
import FirestoreModel
import ModelTestSupport
import Synchronization
import Testing

@testable import Realtime

/// Listens as somebody who may see documents whose `owner` is his, and queries that ask for those.
///
/// A document `roles/<uid>` with `isBlocked` takes every right.
private final class OwnerAuthority: ListenAuthority {
  let user: Text
  private let standing = Mutex(true)

  init(_ user: Text) { self.user = user }

  func revoke() { standing.withLock { $0 = false } }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(FirestoreError) -> ListenDecision {
    do {
      let role = ResourcePath(["roles", user])
      let denied = FirestoreError(.permissionDenied, "Missing or insufficient permissions.")
      if try database.get(role, at: .at(version))?.value(at: "isBlocked") == .boolean(true) {
        throw denied
      }
      switch subject {
      case .query(let query):
        let isMine = query.disjuncts.allSatisfy { conditions in
          conditions.contains(Condition("owner", .equal(.string(user))))
        }
        guard isMine else { throw denied }
        return ListenDecision(dependsOnRules: true, documents: [role])
      case .documents(let paths):
        for path in paths {
          let owner = try database.get(path, at: .at(version))?.value(at: "owner")
          if let owner, owner != .string(user) { throw denied }
        }
        return ListenDecision(dependsOnRules: true, documents: [role], dependsOnResults: true)
      }
    } catch {
      throw FirestoreError.storage(error)
    }
  }

  func checkCredentials() throws(FirestoreError) {
    if !standing.withLock({ $0 }) {
      throw FirestoreError(.unauthenticated, "Missing or invalid authentication.")
    }
  }
}

private func owned(_ path: ResourcePath, _ owner: Text, _ number: Int64 = 0) -> Write {
  set(path, ["owner": .string(owner), "n": .integer(number)])
}

private func mine(_ user: Text) -> Query { query("a", where: equal("owner", .string(user))) }

@Suite struct AuthorityTests {
  @Test func `what may not be listened to is removed with the cause`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "you"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    client.listen(query("a"), 1)
    client.listen(mine("me"), 2)
    client.listen(documents: ["a/x"], 3)
    fixture.settle()
    #expect(client.takeFrames() == ["-1 7", "-3 7", "+2", "=2", "."])
    #expect(client.state.named.isEmpty)
    try fixture.close()
  }

  @Test func `a document that is given away ends its listener without being shown`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "me"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    client.listen(documents: ["a/x"], 1)
    client.listen(mine("me"), 2)
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "a/x 1", "+2", "a/x 2", "=1", "=2", "."])
    try await fixture.commit(owned("a/x", "you", 7))
    fixture.settle()
    #expect(client.takeFrames() == ["-1 7", "a/x !2", "."])
    #expect(client.state.documents["a/x"]?.value(at: "n") == .integer(0))
    try fixture.close()
  }

  @Test func `a changed document that rules have read decides again before anything is told`()
    async throws
  {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "me"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    let other = fixture.client(authority: OwnerAuthority("other"))
    client.listen(mine("me"), 1)
    other.listen(mine("other"), 1)
    fixture.settle()
    _ = client.takeFrames()
    try await fixture.commit(set("roles/me", ["isBlocked": .boolean(true)]), owned("a/y", "me"))
    fixture.settle()
    #expect(client.takeFrames() == ["-1 7"])
    #expect(other.takeFrames() == ["+1", "=1", "."])
    try await fixture.commit(set("roles/me", ["isBlocked": .boolean(false)]))
    client.listen(mine("me"), 1)
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "a/x 1", "a/y 1", "=1", "."])
    try fixture.close()
  }

  @Test func `a right that is lost between reading and telling is lost`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "me"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    client.listen(mine("me"), 1)
    // The reading is done, its result waits in the inbox behind this.
    _ = fixture.hub.step()
    _ = fixture.hub.step()
    try await fixture.commit(set("roles/me", ["isBlocked": .boolean(true)]), owned("a/y", "me"))
    fixture.settle()
    #expect(client.takeFrames().last == "-1 7")
    #expect(!client.state.named.contains("a/y"))
    try fixture.close()
  }

  @Test(arguments: [true, false])
  func `who comes back to a time before the right learns nothing of that time`(
    _ usesToken: Bool
  )
    async throws
  {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/old", "me"), set("roles/me", ["isBlocked": .boolean(true)]))
    // Somebody else's listener, with a token that its owner could also have made up.
    let other = fixture.client()
    other.listen(mine("me"), 1)
    fixture.settle()
    let state = other.state
    try await fixture.commit(delete("a/old"))
    try await fixture.commit(owned("a/new", "me"), set("roles/me", ["isBlocked": .boolean(false)]))
    let client = fixture.client(authority: OwnerAuthority("me"))
    let start: TargetRequest.Resumption =
      usesToken ? .token(state.token) : .readTime(state.lastPoint)
    client.listen(mine("me"), 1, from: start)
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "0 1", "a/new 1", "=1", "."])
    #expect(!client.state.named.contains("a/old"))
    try fixture.close()
  }

  @Test func `credentials that stand no longer end the stream before the next change`()
    async throws
  {
    let fixture = try HubFixture()
    let authority = OwnerAuthority("me")
    let client = fixture.client(authority: authority)
    client.listen(mine("me"), 1)
    fixture.settle()
    _ = client.takeFrames()
    authority.revoke()
    try await fixture.commit(owned("a/x", "me"))
    fixture.settle()
    #expect(client.takeFrames() == ["end 16"])
    #expect(client.state.named.isEmpty)

    let quiet = OwnerAuthority("you")
    let second = fixture.client(authority: quiet)
    second.listen(mine("you"), 1)
    fixture.settle()
    _ = second.takeFrames()
    quiet.revoke()
    fixture.pass(2)
    #expect(second.takeFrames() == ["end 16"])
    try fixture.close()
  }

  @Test(arguments: (0..<4).map { _ in UInt64.random(in: .min ... .max) })
  func `while owners change nothing foreign is named`(_ seed: UInt64) async throws {
    let fixture = try HubFixture(configure: { $0.backlogBytes = 3_000 })
    var random = RandomValues(seed: seed)
    let users: [Text] = ["u0", "u1", "u2"]
    /// Whom a document has ever belonged to.
    var history: [ResourcePath: Set<Text>] = [:]
    var clients = users.map { fixture.client(authority: OwnerAuthority($0)) }
    for (user, client) in zip(users, clients) { client.listen(mine(user), 1) }
    for round in 0..<150 {
      let path = ResourcePath(["a", Text("d\(random.int(0..<9))")])
      let owner = users[random.int(0..<3)]
      if random.int(0..<4) == 0 {
        try await fixture.commit(delete(path))
      } else {
        try await fixture.commit(owned(path, owner, Int64(round)))
        history[path, default: []].insert(owner)
      }
      let index = random.int(0..<3)
      let (user, client) = (users[index], clients[index])
      switch random.int(0..<8) {
      case 0: client.change { $0.budget = 1 }
      case 1, 2:
        client.change { $0.budget = .max }
        client.stream.resume()
      case 3:
        let state = client.state
        client.stream.close()
        clients[index] = fixture.client(authority: OwnerAuthority(user))
        clients[index].listen(mine(user), 1, from: .token(state.token))
      case 4: client.listen(documents: [path], Int32(round + 10))
      default: break
      }
      if random.bool() { fixture.settle() }
      for (user, client) in zip(users, clients) {
        let state = client.state
        #expect(state.error == nil, "seed \(seed), round \(round)")
        for (path, record) in state.documents {
          #expect(record.value(at: "owner") == .string(user), "seed \(seed), round \(round)")
          #expect(history[path]?.contains(user) == true)
        }
      }
    }
    try fixture.close()
  }
}
