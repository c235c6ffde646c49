import FirestoreModel
import Synchronization
import Testing

@testable import Access

struct RulesTallyTests {
  @Test func `decisions count for their day and scope, and are taken once`() {
    let day: Int64 = 86_400_000_000
    let time = Mutex<Int64>(day)
    let tally = RulesTally { time.withLock { $0 } }
    let shop = RulesScope.database(DatabaseID(project: "shop"))
    let bucket = RulesScope.bucket(BucketID(project: "shop", name: "shop.appspot.com"))
    for scope in [shop, shop, bucket] { tally.countAllowed(of: scope) }
    time.withLock { $0 += day }
    tally.countAllowed(of: shop)
    let taken = tally.take()
    #expect(taken.count == 3 && tally.take().isEmpty)
    #expect(taken.first { $0.scope == shop && $0.day == 1 }?.counts.allowed == 2)
    #expect(taken.first { $0.scope == shop && $0.day == 2 }?.counts.allowed == 1)
    #expect(taken.first { $0.scope == bucket }?.counts.allowed == 1)
  }
}
