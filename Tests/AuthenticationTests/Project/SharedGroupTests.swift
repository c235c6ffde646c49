import BaseRuntime
import Dispatch
import KeyValueStore
import Synchronization
import Testing

@testable import Authentication

/// Writes that wait at the same time share a group of the engine, and are decided one after the other.
struct SharedGroupTests {
  @Test(arguments: EngineKind.allCases)
  func `sign-ups, sessions and documents share one group`(kind: EngineKind) throws {
    let fixture = try AccountsFixture(kind)
    let engine = GatheringEngine(fixture.engine)
    let accounts = try fixture.reopened(on: engine)
    let project = accounts.project("demo-brasa")
    let known = try project.signUpAnonymously(from: .somewhere)
    let before = engine.statistics()
    engine.gather(9)
    engine.submit(
      QueuedWrite(.interactive) {
        try $0.put([0x10, 1], [1])
      } completion: { _ in
      }
    )
    let sessions = Mutex<[Session]>([])
    try concurrently(8) { author in
      let session =
        author < 4
        ? try project.signUpAnonymously(from: .somewhere)
        : try project.renew(known.user, known.signIn)
      sessions.withLock { $0.append(session) }
    }
    let all = sessions.withLock { $0 }
    #expect(Set(all.map(\.refreshToken)).count == 8)
    for session in all { _ = try accounts.refresh(session.refreshToken) }
    #expect(try engine.read { try $0.get([0x10, 1]) } == [1])
    guard let groups = before["kv_write_groups_total"] else { return }
    // One that lets all others go, and theirs.
    #expect(engine.statistics()["kv_write_groups_total"] == groups + 2)
  }

  @Test(arguments: EngineKind.allCases)
  func `an address is one account's, though many want it in one group`(kind: EngineKind) throws {
    let fixture = try AccountsFixture(kind)
    let engine = GatheringEngine(fixture.engine)
    let project = try fixture.reopened(on: engine).project("demo-brasa")
    engine.gather(8)
    let outcomes = Mutex<[String]>([])
    try concurrently(8) { author in
      var user = NewUser()
      user.uid = "user-\(author)"
      user.email = "wanted@example.com"
      do {
        _ = try project.create(user)
        outcomes.withLock { $0.append("made") }
      } catch let error as AccountError where error.code == .emailExists {
        outcomes.withLock { $0.append("taken") }
      }
    }
    #expect(outcomes.withLock { $0.sorted() } == ["made"] + Array(repeating: "taken", count: 7))
    #expect(try project.count() == 1)
    #expect(try project.user(email: "wanted@example.com") != nil)
  }

  @Test func `what the cache has of a project is what was stored last`() throws {
    let fixture = try AccountsFixture()
    let engine = GatheringEngine(fixture.engine)
    let accounts = try fixture.reopened(on: engine)
    let project = accounts.project("demo-brasa")
    engine.gather(8)
    try concurrently(8) { author in
      try project.configure { $0.allowsAnonymous = author.isMultiple(of: 2) }
    }
    let stored = try fixture.reopened().project("demo-brasa").configuration()
    #expect(try project.configuration().allowsAnonymous == stored.allowsAnonymous)
  }
}

/// Runs the body on that many threads at once, which may all wait, and throws the first error of any.
private func concurrently(_ threads: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let failure = Mutex<(any Error)?>(nil)
  let running = (0..<threads).map { number in
    StoreThread {
      do {
        try body(number)
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
  }
  for thread in running { thread.join() }
  if let error = failure.withLock({ $0 }) { throw error }
}
