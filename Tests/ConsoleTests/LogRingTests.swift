import Testing

@testable import Console

struct LogRingTests {
  @Test func `the newest lines are kept and numbered`() {
    let ring = LogRing(capacity: 3)
    #expect(ring.lines(after: 0).isEmpty)
    for number in 1...5 { ring.append("line \(number)\n") }
    #expect(ring.lines(after: 0).map(\.text) == ["line 3", "line 4", "line 5"])
    #expect(ring.lines(after: 0).map(\.number) == [3, 4, 5])
    #expect(ring.lines(after: 4).map(\.number) == [5])
    #expect(ring.lines(after: 5).isEmpty)
    // A reader who knows a number of before a restart is told nothing, not what is not there.
    #expect(ring.lines(after: 99).isEmpty)
  }

  @Test func `a long line is cut, and stays text`() {
    let ring = LogRing(capacity: 3, longest: 5)
    ring.append("ééééé")
    #expect(ring.lines(after: 0)[0].text.hasPrefix("éé"))
    #expect(ring.lines(after: 0)[0].text.utf8.count <= 5 + 6)
  }
}
