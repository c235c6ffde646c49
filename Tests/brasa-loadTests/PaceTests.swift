import Testing

@testable import brasa_load

struct PaceTests {
  @Test func `calls are due one after the other, however late they are taken`() {
    let pace = Pace(start: 100, interval: 10, end: 130, bound: 1_000)
    #expect(pace.take(99) == nil)
    #expect(pace.take(100) == 100)
    #expect(pace.take(105) == nil)
    #expect(pace.take(900) == 110)
    #expect(!pace.isOver)
    #expect(pace.take(900) == 120)
    #expect(pace.isOver)
    #expect(pace.take(900) == nil)
    #expect(pace.missed == 0)
  }

  @Test func `calls that wait beyond the bound are given up`() {
    let pace = Pace(start: 0, interval: 10, end: 100, bound: 30)
    #expect(pace.take(65) == 40)
    #expect(pace.missed == 4)
    #expect(pace.take(1_000) == nil)
    #expect(pace.isOver && pace.missed == 9)
  }
}
