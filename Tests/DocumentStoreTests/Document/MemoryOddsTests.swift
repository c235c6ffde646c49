import Testing

@testable import DocumentStore

struct MemoryOddsTests {
  /// Returns how many of the given number of attempts are made while each has that outcome.
  private func attempts(of count: Int, _ odds: MemoryOdds, succeeding success: Bool) -> Int {
    var made = 0
    for _ in 0..<count where odds.shouldTry() {
      made += 1
      odds.note(success: success)
    }
    return made
  }

  @Test func `memory that has all answers is always asked`() {
    #expect(attempts(of: 1_000, MemoryOdds(), succeeding: true) == 1_000)
  }

  @Test func `memory that has no answer is asked now and then`() {
    let odds = MemoryOdds()
    _ = attempts(of: 1_000, odds, succeeding: false)
    #expect(attempts(of: 1_600, odds, succeeding: false) == 100)
  }

  @Test func `memory that has answers again is asked again`() {
    let odds = MemoryOdds()
    _ = attempts(of: 10_000, odds, succeeding: false)
    _ = attempts(of: 1_000, odds, succeeding: true)
    #expect(attempts(of: 100, odds, succeeding: true) == 100)
  }

  @Test func `a third of answers is worth asking for`() {
    let odds = MemoryOdds()
    var made = 0
    for number in 0..<3_000 where odds.shouldTry() {
      made += 1
      odds.note(success: number % 3 == 0)
    }
    #expect(made == 3_000)
  }
}
