import Access
import Synchronization
import Testing

@testable import Console

struct AdministratorSessionsTests {
  @Test func `a sign-in is recent for as long as is said, whatever the age of its token`() {
    let time = Mutex<Int64>(1_000_000_000)
    let sessions = AdministratorSessions(recent: 900) { time.withLock { $0 } }
    let holder = SignedInAdministrator(
      uid: "ada",
      email: "ada@example.org",
      roles: AdministratorRoles(.owner)
    )
    sessions.insert("new", of: holder, session: "a", began: 1_000)
    sessions.insert("renewed", of: holder, session: "b", began: 101)
    sessions.insert("old", of: holder, session: "b", began: 100)
    #expect(sessions.signedInLately(holding: "new"))
    #expect(sessions.signedInLately(holding: "renewed"))
    #expect(!sessions.signedInLately(holding: "old"))
    #expect(!sessions.signedInLately(holding: "unknown"))
    time.withLock { $0 += 1_000_000 }
    #expect(!sessions.signedInLately(holding: "renewed"))
    sessions.end(session: "a")
    #expect(!sessions.signedInLately(holding: "new"))
  }
}
