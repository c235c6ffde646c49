import Synchronization
import Testing

@testable import FunctionHost

/// The figures of functions' calls.
@Suite struct InvocationFiguresTests {
  private final class Time: Sendable {
    private let seconds = Mutex(600.0)
    var now: Double { seconds.withLock { $0 } }
    func advance(minutes: Double) { seconds.withLock { $0 += minutes * 60 } }
  }

  private let time = Time()
  private let key = FunctionLogs.Key(project: "p", function: "greet")

  private func makeFigures() -> InvocationFigures { InvocationFigures { [time] in time.now } }

  @Test func `calls are counted in their minute, and leave after an hour`() {
    let figures = makeFigures()
    #expect(figures.hour(of: key) == InvocationFigures.Hour())
    figures.note(key, seconds: 0.010, isSuccess: true)
    figures.note(key, seconds: 0.030, isSuccess: false)
    time.advance(minutes: 2)
    figures.note(key, seconds: 0.020, isSuccess: true)
    var hour = figures.hour(of: key)
    #expect(hour.calls.suffix(3) == [2, 0, 1] && hour.calls.reduce(0, +) == 3)
    #expect(hour.errors.suffix(3) == [1, 0, 0])
    time.advance(minutes: 58)
    hour = figures.hour(of: key)
    #expect(hour.calls.reduce(0, +) == 1 && hour.calls.first == 0 && hour.calls[1] == 1)
    time.advance(minutes: 60)
    #expect(figures.hour(of: key) == InvocationFigures.Hour())
  }

  @Test func `half of the calls and 99 of 100 stay below the quantiles`() throws {
    let figures = makeFigures()
    for milliseconds in 1...100 {
      figures.note(key, seconds: Double(milliseconds) / 1_000, isSuccess: true)
    }
    let hour = figures.hour(of: key)
    #expect(abs(try #require(hour.p50) - 0.050) < 0.001)
    #expect(abs(try #require(hour.p99) - 0.099) < 0.001)
  }

  @Test func `the newest durations replace the oldest`() throws {
    let figures = makeFigures()
    for _ in 0..<InvocationFigures.keptDurations { figures.note(key, seconds: 9, isSuccess: true) }
    for _ in 0..<InvocationFigures.keptDurations { figures.note(key, seconds: 1, isSuccess: true) }
    #expect(figures.hour(of: key).p99 == 1)
    #expect(figures.hour(of: key).calls.last == 2 * InvocationFigures.keptDurations)
  }

  @Test func `functions of other projects have figures of their own`() {
    let figures = makeFigures()
    figures.note(key, seconds: 1, isSuccess: true)
    #expect(figures.hour(of: .init(project: "q", function: "greet")) == InvocationFigures.Hour())
    figures.forget(key)
    #expect(figures.hour(of: key) == InvocationFigures.Hour())
  }
}
