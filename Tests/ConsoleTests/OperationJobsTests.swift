import BaseStatus
import Foundation
import KeyValueStore
import ServiceModule
import Testing

@testable import Console

struct OperationJobsTests {
  /// A job after every job that was started so far has ended: there is one thread, and they take turns.
  private static func ended(_ jobs: OperationJobs, _ number: Int) throws -> OperationJob? {
    let isFree = DispatchSemaphore(value: 0)
    _ = try jobs.start("last", "") { _ in
      isFree.signal()
      return ""
    }
    isFree.wait()
    return jobs.all.first { $0.number == number }
  }

  private static func made(_ storage: MemoryStorage = MemoryStorage()) throws -> OperationJobs {
    let jobs = OperationJobs(JobHistory(engine: MemoryEngine(storage: storage)), now: { 5 })
    try jobs.load()
    return jobs
  }

  @Test func `a job tells its progress and what it came to`() throws {
    let jobs = try Self.made()
    let job = try jobs.start("verify", "") { tell in
      try tell(.progress(done: 1, total: 2, unit: "key"))
      for number in 0..<300 { try tell(.difference("d\(number)")) }
      return "all"
    }
    let done = try #require(try Self.ended(jobs, job.number))
    #expect(done.state == .done && done.summary == "all" && done.ended == 5)
    #expect(done.progress == .init(1, 2, "key"))
    #expect(done.differenceCount == 300 && done.differences.count == 200)
    jobs.stop()
  }

  @Test func `what fails says why`() throws {
    let jobs = try Self.made()
    let job = try jobs.start("export", "x") { _ in throw ServiceError(.notFound, "no such") }
    let failed = try Self.ended(jobs, job.number)
    #expect(failed?.state == .failed && failed?.summary == "no such")
    jobs.stop()
  }

  @Test func `a job that is cancelled ends at what it tells next, and one that waits never begins`()
    throws
  {
    let jobs = try Self.made()
    let entered = DispatchSemaphore(value: 0)
    let first = try jobs.start("verify", "") { tell in
      entered.signal()
      while true { try tell(.progress(done: 0, total: nil, unit: "key")) }
    }
    let second = try jobs.start("verify", "") { _ in "never" }
    entered.wait()
    #expect(jobs.all.map(\.number) == [second.number, first.number])
    #expect(jobs.cancel(second.number) && jobs.cancel(first.number))
    #expect(try Self.ended(jobs, first.number)?.state == .cancelled)
    #expect(jobs.all.first { $0.number == second.number }?.state == .cancelled)
    #expect(!jobs.cancel(first.number) && !jobs.cancel(77))
    jobs.stop()
  }

  @Test func `stopping ends what goes on`() throws {
    let jobs = try Self.made()
    let entered = DispatchSemaphore(value: 0)
    _ = try jobs.start("verify", "") { tell in
      entered.signal()
      while true { try tell(.difference("again")) }
    }
    entered.wait()
    jobs.stop()
    #expect(jobs.all.map(\.state) == [.cancelled])
  }

  @Test func `jobs outlive a restart, and what went on then was interrupted`() throws {
    let storage = MemoryStorage()
    let jobs = try Self.made(storage)
    let entered = DispatchSemaphore(value: 0)
    let done = try jobs.start("verify", "") { tell in
      try tell(.difference("one"))
      return "all"
    }
    _ = try jobs.start("export", "x") { tell in
      entered.signal()
      while true { try tell(.progress(done: 0, total: nil, unit: "key")) }
    }
    entered.wait()
    jobs.stop()
    let again = try Self.made(storage)
    #expect(again.all.map(\.state) == [.interrupted, .done])
    let kept = try #require(again.all.last)
    #expect(kept.number == done.number && kept.summary == "all" && kept.ended == 5)
    #expect(kept.differences == ["one"] && kept.differenceCount == 1)
    let next = try again.start("verify", "") { _ in "" }
    #expect(next.number == 3)
    again.stop()
  }

  @Test func `the newest fifty are kept`() throws {
    let storage = MemoryStorage()
    let jobs = try Self.made(storage)
    for _ in 0..<60 {
      let job = try jobs.start("verify", "") { _ in "" }
      _ = try Self.ended(jobs, job.number)
    }
    jobs.stop()
    let kept = try Self.made(storage)
    #expect(kept.all.count == 50 && kept.all.first?.number == 120)
    kept.stop()
  }
}
