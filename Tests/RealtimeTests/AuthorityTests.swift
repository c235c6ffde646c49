import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import ModelTestSupport
import Synchronization
import Testing

@testable import Realtime

/// Listens as somebody who may see documents whose `owner` is his, and queries that ask for those.
///
/// A document `roles/<uid>` with `isBlocked` takes every right.
private final class OwnerAuthority: ListenJudge {
  var answersFromMemory: Bool { false }
  let user: Text
  private let isValid = Mutex(true)

  init(_ user: Text) { self.user = user }

  func revoke() { isValid.withLock { $0 = false } }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision {
    do {
      let role = ResourcePath(["roles", user])
      let denied = ServiceError(.permissionDenied, "Missing or insufficient permissions.")
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
      throw ServiceError.storage(error)
    }
  }

  func checkCredentials() throws(ServiceError) {
    if !isValid.withLock({ $0 }) {
      throw ServiceError(.unauthenticated, "Missing or invalid authentication.")
    }
  }
}

/// Lets everybody listen while it allows it; each decision takes its time.
private final class SlowAuthority: ListenJudge {
  private let time: ManualTime
  private let microseconds: Int64
  private let usesTime: Bool
  private let refusal = Mutex<ServiceError?>(nil)
  private let count = Mutex(0)

  init(_ time: ManualTime, microseconds: Int64 = 0, usesTime: Bool = false) {
    (self.time, self.microseconds, self.usesTime) = (time, microseconds, usesTime)
  }

  /// The number of decisions that it has made.
  var decisions: Int { count.withLock { $0 } }

  func refuse(_ error: ServiceError) { refusal.withLock { $0 = error } }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision {
    time.advance(microseconds)
    count.withLock { $0 += 1 }
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
    return ListenDecision(dependsOnRules: true, dependsOnTime: usesTime)
  }

  func checkCredentials() throws(ServiceError) {}
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

  @Test func `an admission under which its documents change is decided again`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "me"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    client.listen(documents: ["a/x"], 1)
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "a/x 1", "=1", "."])
    fixture.holdJobs()
    client.listen(mine("me"), 2)
    fixture.settle()
    #expect(client.takeFrames() == [])
    // It is asked for the version before this, and heard of after it.
    try await fixture.commit(set("roles/me", ["isBlocked": .boolean(true)]))
    fixture.releaseJobs()
    fixture.settle()
    let frames = client.takeFrames()
    #expect(Set(frames).isSuperset(of: ["-1 7", "-2 7"]))
    #expect(!frames.contains("+2") && !frames.contains("a/x 2"))
    try fixture.close()
  }

  @Test func `requests of a stream keep their order while one is decided`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "me"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    client.listen(documents: ["a/x"], 1)
    fixture.settle()
    _ = client.takeFrames()
    fixture.holdJobs()
    client.listen(mine("me"), 2)
    client.stream.remove(2)
    client.listen(mine("you"), 3)
    // A change that none of it rests on.
    try await fixture.commit(owned("a/y", "me"))
    fixture.settle()
    fixture.releaseJobs()
    fixture.settle()
    let frames = client.takeFrames().filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
    #expect(frames == ["+2", "-2", "-3 7"])
    try fixture.close()
  }

  @Test func `a document that is given away ends its listener without being shown`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(owned("a/x", "me"))
    let client = fixture.client(authority: OwnerAuthority("me"))
    client.listen(documents: ["a/x"], 1)
    client.listen(mine("me"), 2)
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "a/x 1", "=1", ".", "+2", "a/x 2", "=2", "."])
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

  private static let denied = ServiceError(.permissionDenied, "no")

  /// A client of twenty queries, each decision about which takes three milliseconds, and one of
  /// somebody for whom no rules count; both saw `a/x`.
  private func slow(_ fixture: HubFixture) async throws -> (SlowAuthority, TestClient, TestClient) {
    try await fixture.commit(set("a/x", ["n": .integer(0)]))
    let authority = SlowAuthority(fixture.time, microseconds: 3_000)
    let (slow, other) = (fixture.client(authority: authority), fixture.client())
    for id in 1...20 {
      slow.listen(query("a", where: equal("n", .integer(Int64(id % 10)))), Int32(id))
    }
    other.listen(query("a"))
    fixture.settle()
    _ = (slow.takeFrames(), other.takeFrames())
    return (authority, slow, other)
  }

  @Test func `other rules are asked a few decisions at a time, and others need not wait`()
    async throws
  {
    let fixture = try HubFixture()
    let (authority, slow, other) = try await slow(fixture)
    fixture.hub.decideAgain()
    try await fixture.commit(set("a/y", ["n": .integer(3)]))
    #expect(fixture.hub.step())
    #expect(authority.decisions < 20 + 10)
    #expect(other.takeFrames() == ["a/y 1", "."])
    // Nothing is told before all is decided, not even that nothing has changed.
    #expect(slow.takeFrames() == [])
    fixture.settle()
    #expect(authority.decisions == 20 + 20)
    #expect(slow.takeFrames() == ["a/y 3,13", "."])
    try await fixture.commit(set("a/z", ["n": .integer(3)]))
    fixture.settle()
    #expect(slow.takeFrames() == ["a/z 3,13", "."])
    #expect(authority.decisions == 20 + 20)
    try fixture.close()
  }

  @Test func `whom other rules refuse is told of nothing since`() async throws {
    let fixture = try HubFixture()
    let (authority, slow, _) = try await slow(fixture)
    // One that was admitted and is not open yet.
    slow.listen(query("a"), 21)
    fixture.hub.decideAgain()
    #expect(fixture.hub.step())
    authority.refuse(Self.denied)
    fixture.hub.decideAgain()
    let writes = (0..<10).map { number in
      set(ResourcePath(["a", Text("y\(number)")]), ["n": .integer(Int64(number))])
    }
    try await fixture.commit(writes)
    fixture.settle()
    #expect(slow.takeFrames().sorted() == (1...21).map { "-\($0) 7" }.sorted())
    #expect(slow.state.named == ["a/x"])
    try fixture.close()
  }

  @Test func `a stream that closes while its targets are decided holds up nobody`() async throws {
    let fixture = try HubFixture()
    let (authority, slow, other) = try await slow(fixture)
    fixture.hub.decideAgain()
    #expect(fixture.hub.step())
    slow.stream.close()
    let last = fixture.client(authority: SlowAuthority(fixture.time))
    last.listen(query("a"))
    fixture.hub.decideAgain()
    fixture.settle()
    #expect(authority.decisions < 20 + 10)
    _ = (last.takeFrames(), other.takeFrames())
    try await fixture.commit(set("a/y", [:]))
    fixture.settle()
    #expect(last.takeFrames() == ["a/y 1", "."])
    #expect(other.takeFrames() == ["a/y 1", "."])
    try fixture.close()
  }

  @Test func `a change that nobody can decide about is not told`() async throws {
    let fixture = try HubFixture()
    let authority = SlowAuthority(fixture.time, usesTime: true)
    let client = fixture.client(authority: authority)
    client.listen(query("a"))
    fixture.settle()
    _ = client.takeFrames()
    authority.refuse(ServiceError(.unavailable, "the disk"))
    try await fixture.commit(set("a/y", [:]))
    fixture.settle()
    #expect(client.takeFrames() == ["end 14"])
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
    /// The users to whom a document has ever belonged.
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
