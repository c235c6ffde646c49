import PushMessaging
import ServiceModule
import Synchronization

/// The stream of a client whose connection's event loop writes its messages, without a task.
///
/// A message that comes into the mailbox right behind the last one is written as it came. If a
/// message between them is missing, or too many are queued for a slow client, one of the engine's
/// threads reads the mailbox. Any thread may call; the event loop alone takes parts.
final class MessageStream: LoopStream, DirectListener {
  fileprivate struct State {
    var news: (any LoopNews)?
    /// The line that opens the stream; nil once it was taken.
    var opening: [UInt8]?
    /// The highest sequence that was taken.
    var last: Int64
    /// The messages that came behind it, with nothing missing between.
    var arrivals: [MailboxArrival] = []
    /// The entries read from the mailbox.
    var entries: [MailboxEntry] = []
    /// The highest sequence for which the mailbox has to be read; 0 where it need not be.
    var missed: Int64
    /// The value of `missed` at the start of a read of the mailbox; nil without a read in progress.
    var reading: Int64?
    var isOver = false
  }

  fileprivate enum Step {
    case part(LoopPart)
    case entries([MailboxEntry])
    case arrivals([MailboxArrival])
    case read(after: Int64)
  }

  private let service: PushService
  private let mailbox: MailboxID
  private let state: Mutex<State>

  /// Messages that wait here for the event loop at most.
  private static let limit = 32

  /// A stream for a client that has what it acknowledged.
  init(_ service: PushService, _ start: ConnectionStart, opening: [UInt8]) {
    self.service = service
    mailbox = start.mailbox
    state = Mutex(
      State(
        opening: opening,
        last: start.isEmpty ? start.last : start.acknowledged,
        missed: start.isEmpty ? 0 : start.last
      )
    )
  }

  func begin(_ news: any LoopNews) { state.withLock { $0.news = news } }

  func receive(_ arrival: MailboxArrival) {
    let news = state.withLock { state -> (any LoopNews)? in
      let expected = (state.arrivals.last?.sequence ?? state.last) + 1
      guard !state.isOver, arrival.sequence >= expected else { return nil }
      let isNext = arrival.sequence == expected && state.missed == 0 && state.entries.isEmpty
      if isNext, arrival.isComplete, state.arrivals.count < Self.limit {
        state.arrivals.append(arrival)
      } else {
        state.missed = arrival.sequence
      }
      return state.news
    }
    news?.arrived()
  }

  func finish() {
    let news = state.withLock { state in
      state.isOver = true
      return state.news
    }
    news?.arrived()
  }

  func end() {
    service.streams.close(mailbox, self)
    state.withLock { state in
      (state.isOver, state.news) = (true, nil)
      (state.opening, state.arrivals, state.entries) = (nil, [], [])
    }
  }

  func next() -> LoopPart {
    switch state.withLock({ $0.nextStep() }) {
    case .part(let part): return part
    case .entries(let entries): return .bytes(lines(of: entries))
    case .arrivals(let arrivals): return .bytes(lines(of: service.entries(of: arrivals)))
    case .read(let last):
      service.submitEntries(of: mailbox, after: last, limit: Self.limit) { self.take($0) }
      return .nothing
    }
  }

  /// Takes the result of a read of the mailbox; after a failure the stream ends, and the client
  /// reconnects.
  private func take(_ result: Result<[MailboxEntry], any Error>) {
    let news = state.withLock { state in
      guard case .success(let entries) = result else {
        state.isOver = true
        return state.news
      }
      let known = max(state.reading ?? 0, entries.last?.sequence ?? 0)
      if entries.count < Self.limit, state.missed <= known { state.missed = 0 }
      (state.entries, state.reading) = (entries, nil)
      return state.news
    }
    news?.arrived()
  }

  private func lines(of entries: [MailboxEntry]) -> [UInt8] {
    service.noteWritten(entries, to: mailbox)
    return entries.flatMap(\.line)
  }
}

extension MessageStream.State {
  /// Takes the next step.
  fileprivate mutating func nextStep() -> MessageStream.Step {
    if let line = opening {
      opening = nil
      return .part(.bytes(line))
    }
    if isOver { return .part(.end) }
    if let newest = entries.last {
      defer { entries = [] }
      last = newest.sequence
      return .entries(entries)
    }
    guard reading == nil else { return .part(.nothing) }
    if let newest = arrivals.last {
      defer { arrivals = [] }
      last = newest.sequence
      return .arrivals(arrivals)
    }
    guard missed > 0 else { return .part(.nothing) }
    reading = missed
    return .read(after: last)
  }
}
