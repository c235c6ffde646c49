import Access
import Synchronization

/// The newest requests of every kind that the server answered, in memory: HTTP and gRPC, with their outcome and caller.
///
/// It keeps every request up to 200 a second, one in ten beyond that and one in a hundred beyond 2,000; failures are
/// counted by themselves, so that a busy server's few are kept. An entry says how many requests it stands for. There are
/// no queries, bodies or headers in it, and no part of a path that is as long as a token. Any thread may call; a request
/// that is not kept costs a look at the clock and a lock.
package final class RequestLog: Sendable {
  /// A request that was answered.
  package struct Entry: Sendable, Hashable {
    /// Counts the entries from 1 since the server began.
    package var number: Int64 = 0
    /// The end of the request, in microseconds since 1970.
    package var time: Int64 = 0
    /// The HTTP method; `gRPC` for calls.
    package let method: String
    /// The path without its query.
    package let path: String
    /// The HTTP status, of a call the one that its code has in HTTP.
    package let status: Int
    /// The time that it took, in microseconds; nil for a stream, whose length says nothing.
    package let duration: Int64?
    /// The uid, or `administrator`; nil without credentials that were verified on the connection.
    package let caller: String?
    /// The client's IP address.
    package let address: String
    /// The name of the request in the log and in `x-request-id`.
    package let requestID: String
    /// The number of requests that the entry stands for.
    package var weight = 1
  }

  /// The bearings of a request beside its path and outcome.
  package struct Caller: Sendable {
    let requestID: String
    let authorization: String?
    let memory: CallerMemory?
    let address: String

    /// The caller with that header, on a connection with that memory, from that address.
    package init(
      requestID: String,
      authorization: String?,
      memory: CallerMemory?,
      address: String
    ) {
      self.requestID = requestID
      self.authorization = authorization
      self.memory = memory
      self.address = address
    }

    /// The caller of a call that came from that address.
    package init(_ context: CallContext, address: String) {
      self.init(
        requestID: context.requestID,
        authorization: context.authorization,
        memory: context.memory,
        address: address
      )
    }

    fileprivate var name: String? {
      guard let authorization, let memory else { return nil }
      return switch memory.caller(of: authorization) {
      case .user(let user): user.uid.string
      case .administrator, .projectAdministrator: "administrator"
      case .nobody, nil: nil
      }
    }
  }

  /// Requests of the current second.
  private struct Pace {
    private var second: Int64 = 0
    private var seen = 0

    /// Counts a request; its weight where it is kept.
    mutating func take(_ now: Int64) -> Int? {
      if second != now { (second, seen) = (now, 0) }
      seen += 1
      let step = seen <= 200 ? 1 : seen <= 2_000 ? 10 : 100
      return seen % step == 0 ? step : nil
    }
  }

  private struct State {
    var entries: [Entry] = []
    /// The index of the oldest entry once the log is full.
    var start = 0
    var count: Int64 = 0
    var pace = Pace()
    var failures = Pace()
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let clock: @Sendable () -> Int64

  /// A log of so many requests, with instants in microseconds since 1970 from that clock.
  package init(
    capacity: Int = 5_000,
    clock: @escaping @Sendable () -> Int64 = RequestClock.systemTime
  ) {
    self.capacity = capacity
    self.clock = clock
  }

  /// Notes a request that was answered with that HTTP status.
  package func note(
    _ method: @autoclosure () -> String,
    path: @autoclosure () -> String,
    status: Int,
    duration: @autoclosure () -> Duration?,
    from caller: @autoclosure () -> Caller
  ) {
    let now = clock()
    let weight = state.withLock { state in
      status >= 400 ? state.failures.take(now / 1_000_000) : state.pace.take(now / 1_000_000)
    }
    guard let weight else { return }
    let caller = caller()
    var entry = Entry(
      method: method(),
      path: Self.shortened(path()),
      status: status,
      duration: duration().map(Self.microseconds),
      caller: caller.name,
      address: caller.address,
      requestID: caller.requestID
    )
    (entry.time, entry.weight) = (now, weight)
    state.withLock { [entry] state in
      state.count += 1
      var entry = entry
      entry.number = state.count
      if state.entries.count < capacity {
        state.entries.append(entry)
      } else {
        state.entries[state.start] = entry
        state.start = (state.start + 1) % capacity
      }
    }
  }

  /// The newest entries between two numbers, the oldest first, at most `limit`.
  package func entries(after: Int64, before: Int64 = .max, limit: Int) -> [Entry] {
    state.withLock { state in
      let count = Int64(state.entries.count)
      let oldest = state.count - count
      let end = max(min(before - 1, state.count), oldest)
      let begin = min(max(after, oldest, end - Int64(max(limit, 0))), end)
      return (begin..<end).map { index in
        state.entries[(state.start + Int(index - oldest)) % state.entries.count]
      }
    }
  }

  private static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The longest part of a path that is shown, in bytes; registration tokens are longer.
  private static let longestPart = 64
  private static let longestPath = 400

  /// A path whose long parts are cut, and that is short as a whole.
  static func shortened(_ path: String) -> String {
    guard path.utf8.count > longestPart else { return path }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let short = parts.map { part in
      part.count <= longestPart ? String(Substring(part)) : String(Substring(part).prefix(8)) + "…"
    }
    let joined = short.joined(separator: "/")
    return joined.utf8.count <= longestPath ? joined : String(joined.prefix(longestPath)) + "…"
  }
}
