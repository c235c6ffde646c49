import Access
import KeyValueStore
import Synchronization
import Testing

@testable import Console

struct DecisionHistoryTests {
  private static let shop = RulesScope.bucket(BucketID(project: "shop", name: "a"))
  private static let other = RulesScope.bucket(BucketID(project: "shop", name: "b"))

  private static func day(_ day: Int, _ scope: RulesScope = shop, denied: Int64 = 0) -> RulesDay {
    var counts = RulesCounts()
    (counts.allowed, counts.denied, counts.errors) = (2, denied, denied / 2)
    return RulesDay(scope: scope, day: day, counts: counts)
  }

  @Test func `days add up, outlive the server, and are forgotten in the end`() throws {
    let storage = MemoryStorage()
    let waiting = Mutex<[RulesDay]>([])
    func history() -> DecisionHistory {
      DecisionHistory(engine: MemoryEngine(storage: storage)) {
        waiting.withLock { waiting in
          defer { waiting = [] }
          return waiting
        }
      }
    }
    let first = history()
    waiting.withLock { $0 = [Self.day(100, denied: 4), Self.day(101), Self.day(100, Self.other)] }
    try first.keep()
    waiting.withLock { $0 = [Self.day(101, denied: 1)] }
    try first.keep()
    try first.keep()
    let days = try history().days(of: Self.shop)
    #expect(days.map(\.day) == [100, 101])
    #expect(days.map(\.counts.allowed) == [2, 4] && days.map(\.counts.denied) == [4, 1])
    #expect(days.map(\.counts.errors) == [2, 0])
    #expect(try first.days(of: Self.other).map(\.day) == [100])
    waiting.withLock { $0 = [Self.day(100 + DecisionHistory.kept)] }
    try first.keep()
    #expect(try first.days(of: Self.shop).map(\.day) == [101, 100 + DecisionHistory.kept])
    #expect(try first.days(of: Self.other).map(\.day) == [100])
  }
}
