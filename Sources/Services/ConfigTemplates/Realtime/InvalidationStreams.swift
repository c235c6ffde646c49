import BaseStatus
import FirestoreModel
import Synchronization

/// The clients that wait for a new version.
///
/// A stream only says that it is time to look at the number again, so that a slow client costs no more
/// than a fast one. Streams are bounded, in all and, when half of them are taken, for each network; they end by themselves before
/// clients give them up as dead. Any thread may call; nothing blocks.
package final class InvalidationStreams: Sendable {
  /// The bounds of streams.
  package struct Limits: Sendable {
    /// Streams in all.
    package var streams = 20_000
    /// The share of one network of them when half are taken.
    package var share = 16
    /// After which a stream ends; clients read for 330 seconds at most.
    package var lifetime = Duration.seconds(290)

    /// A server's bounds.
    package init() {}
  }

  private struct Entry {
    let id: TemplateID
    let network: String
    let end: ContinuousClock.Instant
    let continuation: AsyncStream<Void>.Continuation
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var numbers: [TemplateID: Set<Int>] = [:]
    var networks: [String: Int] = [:]
    var next = 0
    var isClosed = false
    var sent = 0
  }

  private let limits: Limits
  private let state = Mutex(State())

  /// No streams yet.
  package init(limits: Limits = Limits()) { self.limits = limits }

  /// Opens a stream that yields when a template has a new number, and now and then without one, so that
  /// its reader can see whether the client is still there.
  package func open(
    _ id: TemplateID,
    network: String,
    now: ContinuousClock.Instant
  ) throws(ServiceError) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let entry = Entry(
      id: id,
      network: network,
      end: now.advanced(by: limits.lifetime),
      continuation: continuation
    )
    let number = try add(entry)
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    return stream
  }

  private func add(_ entry: Entry) throws(ServiceError) -> Int {
    try state.withLock { state throws(ServiceError) in
      if state.isClosed { throw ServiceError(.unavailable, "The server is stopping.") }
      let held = state.networks[entry.network, default: 0]
      let isCrowded = state.entries.count >= limits.streams / 2
      guard state.entries.count < limits.streams,
        !isCrowded || held < limits.streams / limits.share
      else { throw ServiceError(.unavailable, "There are too many streams. Try again later.") }
      state.next += 1
      state.entries[state.next] = entry
      state.numbers[entry.id, default: []].insert(state.next)
      state.networks[entry.network, default: 0] += 1
      return state.next
    }
  }

  private func remove(_ number: Int) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: number) else { return }
      state.numbers[entry.id]?.remove(number)
      if state.numbers[entry.id]?.isEmpty == true { state.numbers[entry.id] = nil }
      state.networks[entry.network, default: 1] -= 1
      if state.networks[entry.network] == 0 { state.networks[entry.network] = nil }
    }
  }

  /// Wakes the streams of a template, which has a new number.
  func wake(_ id: TemplateID) {
    let waiting = state.withLock { state in
      let numbers = state.numbers[id] ?? []
      state.sent += numbers.count
      return numbers.compactMap { state.entries[$0]?.continuation }
    }
    for continuation in waiting { continuation.yield() }
  }

  /// Ends the streams whose time is over, and wakes the others.
  package func sweep(now: ContinuousClock.Instant) {
    end { $0.end <= now }
    for continuation in state.withLock({ $0.entries.values.map(\.continuation) }) {
      continuation.yield()
    }
  }

  /// Ends all streams and takes no more.
  package func close() {
    state.withLock { $0.isClosed = true }
    end { _ in true }
  }

  private func end(where condition: (Entry) -> Bool) {
    let ended = state.withLock { state in
      state.entries.values.filter(condition).map(\.continuation)
    }
    for continuation in ended { continuation.finish() }
  }

  /// The number of open streams, and of notifications of a new number.
  package var counts: (open: Int, sent: Int) {
    state.withLock { ($0.entries.count, $0.sent) }
  }
}
