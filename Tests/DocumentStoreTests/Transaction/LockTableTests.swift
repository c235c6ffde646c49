import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

@testable import DocumentStore

@Suite struct LockTableTests {
  private let x = DocumentKey("a/x", in: 1)
  private let y = DocumentKey("a/y", in: 1)
  private let first = LockTable.Owner(number: 1, age: 1)
  private let second = LockTable.Owner(number: 2, age: 2)
  private let third = LockTable.Owner(number: 3, age: 3)

  @Test func `readers share, a writer waits for the others`() {
    var table = LockTable()
    #expect(table.read(x, by: first, insists: false, deadline: 9).answer == .granted)
    #expect(table.read(x, by: second, insists: false, deadline: 9).answer == .granted)
    #expect(table.write(x, by: first, deadline: 9).answer == .waits(ticket: 1))
    let (granted, dropped) = table.release(second.number)
    #expect(granted == [1] && dropped.isEmpty)
    _ = table.release(first.number)
    #expect(table.count == 0)
  }

  @Test func `a writer passes where nobody is`() {
    var table = LockTable()
    #expect(table.write(x, by: first, deadline: 9).answer == .granted)
    #expect(table.count == 0)
  }

  @Test func `two readers that both want to write close a circle`() {
    var table = LockTable()
    _ = table.read(x, by: first, insists: false, deadline: 9)
    _ = table.read(x, by: second, insists: false, deadline: 9)
    #expect(table.write(x, by: first, deadline: 9).answer == .waits(ticket: 1))
    #expect(table.write(x, by: second, deadline: 9).answer == .deadlock)
    #expect(table.release(second.number).granted == [1])
  }

  @Test func `the younger of two gives way to the older, even if it came first`() {
    var table = LockTable()
    _ = table.read(x, by: first, insists: false, deadline: 9)
    _ = table.read(x, by: second, insists: false, deadline: 9)
    #expect(table.write(x, by: second, deadline: 9).answer == .waits(ticket: 1))
    let outcome = table.write(x, by: first, deadline: 9)
    #expect(outcome == LockTable.Outcome(answer: .waits(ticket: 2), refused: [1]))
    #expect(table.release(second.number).granted == [2])
  }

  @Test func `a circle over two documents and a queue is found`() {
    var table = LockTable()
    _ = table.read(x, by: first, insists: true, deadline: 9)
    _ = table.read(y, by: second, insists: true, deadline: 9)
    #expect(table.read(y, by: third, insists: false, deadline: 9).answer == .waits(ticket: 1))
    #expect(table.read(y, by: first, insists: false, deadline: 9).answer == .waits(ticket: 2))
    #expect(table.write(x, by: second, deadline: 9).answer == .deadlock)
    #expect(table.release(second.number).granted == [2])
    #expect(table.release(first.number).granted == [1])
  }

  @Test func `the youngest of a circle of three gives way, and others go on in its stead`() {
    var table = LockTable()
    let z = DocumentKey("a/z", in: 1)
    let fourth = LockTable.Owner(number: 4, age: 4)
    _ = table.read(x, by: first, insists: true, deadline: 9)
    _ = table.read(y, by: third, insists: false, deadline: 9)
    _ = table.read(z, by: second, insists: true, deadline: 9)
    #expect(table.write(z, by: third, deadline: 9).answer == .waits(ticket: 1))
    #expect(table.read(y, by: first, insists: true, deadline: 9).answer == .waits(ticket: 2))
    #expect(table.read(z, by: fourth, insists: false, deadline: 9).answer == .waits(ticket: 3))
    let outcome = table.write(x, by: second, deadline: 9)
    #expect(outcome == LockTable.Outcome(answer: .waits(ticket: 4), refused: [1]))
    #expect(table.release(third.number).granted == [2])
    #expect(table.release(first.number).granted == [4])
    #expect(table.release(second.number).granted == [3])
  }

  @Test func `who comes while others wait asks for the document alone`() {
    var table = LockTable()
    _ = table.read(x, by: first, insists: true, deadline: 9)
    #expect(table.read(x, by: second, insists: false, deadline: 9).answer == .waits(ticket: 1))
    #expect(table.read(x, by: third, insists: false, deadline: 9).answer == .waits(ticket: 2))
    // The second came to an empty queue and shares; the third asked to be alone.
    #expect(table.release(first.number).granted == [1])
    #expect(table.release(second.number).granted == [2])
  }

  @Test func `a retry is queued where its first attempt was`() {
    var table = LockTable()
    let holder = LockTable.Owner(number: 7, age: 7)
    let retry = LockTable.Owner(number: 8, age: 1)
    _ = table.read(x, by: holder, insists: true, deadline: 9)
    #expect(table.read(x, by: second, insists: true, deadline: 9).answer == .waits(ticket: 1))
    #expect(table.read(x, by: retry, insists: true, deadline: 9).answer == .waits(ticket: 2))
    #expect(table.release(holder.number).granted == [2])
    #expect(table.release(retry.number).granted == [1])
  }

  @Test func `a wait ends at its deadline and lets those behind it go on`() {
    var table = LockTable()
    _ = table.read(x, by: first, insists: false, deadline: 9)
    #expect(table.write(x, by: second, deadline: 5).answer == .waits(ticket: 1))
    #expect(table.read(x, by: third, insists: false, deadline: 9).answer == .waits(ticket: 2))
    #expect(table.expire(now: 4).expired.isEmpty)
    let (granted, expired) = table.expire(now: 5)
    #expect(expired == [1])
    #expect(granted.isEmpty)
    #expect(table.release(first.number).granted == [2])
  }

  @Test func `what is dropped with its owner is told`() {
    var table = LockTable()
    _ = table.read(x, by: first, insists: true, deadline: 9)
    #expect(table.read(x, by: second, insists: false, deadline: 9).answer == .waits(ticket: 1))
    #expect(table.release(second.number).dropped == [1])
    #expect(table.release(first.number).granted.isEmpty)
    #expect(table.count == 0)
  }

  /// Whatever happens, nobody is left waiting without somebody to wait for.
  @Test(arguments: 1...20)
  func `random requests never end in silence`(_ seed: Int) {
    var random = SeededSource(seed: UInt64(seed))
    var table = LockTable()
    let keys = (0..<4).map { DocumentKey(ResourcePath(["a", Text("\($0)")]), in: 1) }
    var running: Set<UInt64> = []
    var waiting: [UInt64: UInt64] = [:]
    var next: UInt64 = 0
    for _ in 0..<3_000 {
      if running.count < 8 || Int.random(in: 0..<4, using: &random) > 0 {
        let isNew = running.count < 4
        if isNew { next += 1 }
        let number = isNew ? next : running.randomElement(using: &random) ?? next
        guard !waiting.values.contains(number), let key = keys.randomElement(using: &random)
        else { continue }
        running.insert(number)
        let owner = LockTable.Owner(number: number, age: number)
        let outcome =
          Bool.random(using: &random)
          ? table.read(key, by: owner, insists: Bool.random(using: &random), deadline: 1)
          : table.write(key, by: owner, deadline: 1)
        for ticket in outcome.granted { waiting[ticket] = nil }
        switch outcome.answer {
        case .granted: break
        case .waits(let ticket): waiting[ticket] = number
        case .deadlock: end(number)
        }
        for ticket in outcome.refused {
          guard let victim = waiting.removeValue(forKey: ticket) else { continue }
          #expect(victim > number || outcome.answer == .deadlock, "an older one gave way")
          end(victim)
        }
      } else if let number = running.filter({ !waiting.values.contains($0) }).min() {
        end(number)
      }
      #expect(running.isEmpty || running.contains { !waiting.values.contains($0) })
    }
    while let number = running.filter({ !waiting.values.contains($0) }).min() { end(number) }
    #expect(running.isEmpty && table.count == 0)

    func end(_ number: UInt64) {
      running.remove(number)
      let (granted, dropped) = table.release(number)
      for ticket in granted + dropped { waiting[ticket] = nil }
    }
  }
}
