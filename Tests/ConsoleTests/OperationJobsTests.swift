import FirestoreModel
import Foundation
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

  private static func made() -> OperationJobs { OperationJobs(now: { 5 }) }

  @Test func `a job tells its progress and what it came to`() throws {
    let jobs = Self.made()
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
    let jobs = Self.made()
    let job = try jobs.start("export", "x") { _ in throw FirestoreError(.notFound, "no such") }
    let failed = try Self.ended(jobs, job.number)
    #expect(failed?.state == .failed && failed?.summary == "no such")
    jobs.stop()
  }

  @Test func `a job that is cancelled ends at what it tells next, and one that waits never begins`()
    throws
  {
    let jobs = Self.made()
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
    let jobs = Self.made()
    let entered = DispatchSemaphore(value: 0)
    _ = try jobs.start("verify", "") { tell in
      entered.signal()
      while true { try tell(.difference("again")) }
    }
    entered.wait()
    jobs.stop()
    #expect(jobs.all.map(\.state) == [.cancelled])
  }
}
