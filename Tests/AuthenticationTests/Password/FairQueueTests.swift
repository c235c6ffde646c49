import BaseText
import Dispatch
import FirestoreModel
import Synchronization
import Testing

@testable import Authentication

/// Tests of the order of service if many callers want their passwords hashed.
struct FairQueueTests {
  private func caller(_ address: String, _ account: Text = "ana") -> PasswordCaller {
    PasswordCaller(.client(address: address), account: account)
  }

  private func served(_ queue: inout FairQueue<String>) -> [String] {
    var order: [String] = []
    while let item = queue.removeFirst() { order.append(item) }
    return order
  }

  @Test func `addresses take turns, and accounts within an address`() {
    var queue = FairQueue<String>()
    for index in 0..<4 { queue.append("greedy \(index)", for: caller("203.0.113.7")) }
    queue.append("other account", for: caller("203.0.113.7", "bia"))
    queue.append("elsewhere", for: caller("198.51.100.9"))
    #expect(queue.count == 6)
    #expect(
      served(&queue) == [
        "greedy 0", "elsewhere", "other account", "greedy 1", "greedy 2", "greedy 3",
      ]
    )
    #expect(queue.count == 0)
  }

  @Test func `networks take turns, however many addresses they have`() {
    var queue = FairQueue<String>()
    for host in 0..<4 { queue.append("flood \(host)", for: caller("203.0.113.\(host)")) }
    for host in 0..<2 { queue.append("IPv6 \(host)", for: caller("2001:db8:1:\(host)::1")) }
    queue.append("honest", for: caller("198.51.100.9"))
    #expect(queue.crowdedOut(by: caller("198.51.100.9", "bia")) == "flood 0")
    #expect(
      served(&queue) == [
        "flood 1", "IPv6 0", "honest", "flood 2", "IPv6 1", "flood 3",
      ]
    )
  }

  @Test func `sign-ups leave room for people who sign in`() {
    func signUp(_ number: Int) -> PasswordCaller {
      PasswordCaller(.client(address: "10.0.\(number).1"), account: "new", isSignUp: true)
    }
    var line = PasswordLine<String>()
    for number in 0..<8 { line.append("sign-up \(number)", for: signUp(number)) }
    #expect(line.crowdedOut(by: signUp(9)) == nil)
    for number in 0..<6 {
      let honest = caller("198.51.\(number).9")
      #expect(line.crowdedOut(by: honest)?.hasPrefix("sign-up") == true)
      line.append("honest \(number)", for: honest)
    }
    // A quarter stays theirs.
    #expect(line.crowdedOut(by: caller("198.51.99.9")) == nil)
    #expect(line.removeFirst() == "honest 0")
    #expect(line.removeFirst()?.hasPrefix("sign-up") == true)
    #expect(line.removeFirst() == "honest 1")
  }

  @Test func `the newest of whoever has most makes room, and nobody for his own`() {
    var queue = FairQueue<String>()
    for index in 0..<4 { queue.append("greedy \(index)", for: caller("203.0.113.7")) }
    #expect(queue.crowdedOut(by: caller("203.0.113.7")) == nil)
    #expect(queue.crowdedOut(by: caller("198.51.100.9")) == "greedy 3")
    queue.append("elsewhere", for: caller("198.51.100.9"))
    #expect(queue.crowdedOut(by: caller("203.0.113.7", "bia")) == "greedy 2")
    queue.append("other account", for: caller("203.0.113.7", "bia"))
    // Three of one address and one of the other: who has one already would only change slots.
    #expect(queue.crowdedOut(by: caller("198.51.100.9")) == "greedy 1")
    #expect(queue.crowdedOut(by: caller("198.51.100.9")) == nil)
    #expect(served(&queue) == ["greedy 0", "elsewhere", "other account"])
  }

  @Test func `who was there before passes strangers, and does not keep them out`() {
    func known(_ address: String) -> PasswordCaller {
      PasswordCaller(.client(address: address), account: "ana", isFamiliar: true)
    }
    var line = PasswordLine<String>()
    for index in 0..<4 { line.append("stranger \(index)", for: caller("203.0.113.\(index)")) }
    // Each stranger has one slot only, and none of them another's.
    #expect(line.crowdedOut(by: caller("203.0.113.9")) == nil)
    #expect(line.crowdedOut(by: known("198.51.100.9")) != nil)
    line.append("ana", for: known("198.51.100.9"))
    line.append("ana again", for: known("198.51.100.9"))
    #expect(line.count == 5)
    #expect(line.removeFirst() == "ana")
    #expect(line.removeFirst()?.hasPrefix("stranger") == true)
    #expect(line.removeFirst() == "ana again")
    while line.removeFirst() != nil {}
    for index in 0..<8 { line.append("ana \(index)", for: known("198.51.100.9")) }
    #expect(line.crowdedOut(by: known("198.51.100.9")) == nil)
    #expect(line.crowdedOut(by: known("198.51.100.7")) == "ana 7")
    for index in 6...7 {
      #expect(line.crowdedOut(by: caller("203.0.113.7")) == (index == 6 ? "ana 6" : nil))
      line.append("stranger", for: caller("203.0.113.7"))
    }
  }

  @Test func `one client does not fill the sign-in pool`() async throws {
    let pool = PasswordPool(threads: 1, capacity: 4, niceness: 0)
    let gate = DispatchSemaphore(value: 0)
    let order = Order()
    let greedy = caller("203.0.113.7")
    let honest = caller("198.51.100.9")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      await withCheckedContinuation { started in
        group.addTask {
          try await Self.onThread {
            try pool.run(for: greedy) {
              started.resume()
              gate.wait()
            }
          }
        }
      }
      for index in 0..<9 {
        group.addTask {
          try await Self.onThread {
            try pool.run(for: greedy) { order.add("greedy \(index)") }
          }
        }
      }
      // One runs and four wait; the other five were refused.
      var refused = 0
      for _ in 0..<5 { if try await group.next() == false { refused += 1 } }
      #expect(refused == 5 && pool.load == 5)
      group.addTask {
        try await Self.onThread {
          try pool.run(for: honest) { order.add("honest") }
        }
      }
      // One more of the greedy client's gives way before anything was served.
      #expect(try await group.next() == false)
      gate.signal()
      var done = 0
      for try await isDone in group where isDone { done += 1 }
      #expect(done == 5)
    }
    let served = order.all
    #expect(served.count == 4 && served.firstIndex(of: "honest").map { $0 <= 1 } == true)
  }

  /// Returns true if the work was done on a thread of its own, and not refused.
  private static func onThread(_ work: @escaping @Sendable () throws -> Void) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "caller").async {
        do {
          try work()
          continuation.resume(returning: true)
        } catch let error as AccountError where error.code == .tooManyAttempts {
          continuation.resume(returning: false)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}

/// The callers in the order of their service.
private final class Order: Sendable {
  private let names = Mutex<[String]>([])

  var all: [String] { names.withLock { $0 } }

  func add(_ name: String) { names.withLock { $0.append(name) } }
}
