/// The queues of owners that wait for documents, as a state machine without clock or threads.
///
/// A lock only schedules; whether a commit is applied is decided when it is validated. Rules:
/// - Readers share a document while no owner waits for it. An owner that comes while others wait,
///   or that was aborted before, asks for it exclusively.
/// - An owner that has to wait is queued by the age of its first attempt. Holders that ask for more
///   come before all others, because no other owner can be served before them.
/// - A wait that closes a circle ends a wait in it: that of the youngest, which is the one to try
///   again. If several owners have the same age because they name the same first attempt, the later
///   one is the younger. So the oldest of all is never refused for a circle, and a retry, which
///   keeps its age, becomes it.
struct LockTable: Sendable {
  /// The owner of a request: one transaction attempt or one commit, with the age that orders it.
  struct Owner: Sendable, Hashable {
    let number: UInt64
    /// The number of its first attempt; smaller is older.
    let age: UInt64
  }

  /// The access that an owner asks for.
  enum Mode: Sendable {
    case shared
    case exclusive
  }

  /// The answer to a request.
  enum Answer: Sendable, Equatable {
    case granted
    /// The ticket names the wait when it ends.
    case waits(ticket: UInt64)
    /// The requester is the youngest of a circle.
    case deadlock
  }

  /// The result of a request.
  struct Outcome: Sendable, Equatable {
    var answer: Answer
    /// The tickets of others who are served because a younger one gave way.
    var granted: [UInt64] = []
    /// The tickets of others who were the youngest of a circle.
    var refused: [UInt64] = []
  }

  private struct Waiter {
    let ticket: UInt64
    let owner: Owner
    let mode: Mode
    let isUpgrade: Bool
    let deadline: Int64

    func comesBefore(_ other: Waiter) -> Bool {
      if isUpgrade != other.isUpgrade { return isUpgrade }
      return owner.age < other.owner.age
    }
  }

  /// The holders of a document's lock, and its queue.
  private struct Lock {
    var holders: [UInt64: Mode] = [:]
    var queue: [Waiter] = []

    var isVacant: Bool { holders.isEmpty && queue.isEmpty }

    func admits(_ owner: UInt64, _ mode: Mode) -> Bool {
      holders.allSatisfy { $0.key == owner || (mode == .shared && $0.value == .shared) }
    }
  }

  private var locks: [DocumentKey: Lock] = [:]
  private var held: [UInt64: Set<DocumentKey>] = [:]
  /// The documents that an owner waits for.
  private var waits: [UInt64: [DocumentKey]] = [:]
  private var lastTicket: UInt64 = 0

  /// The number of documents with holders or waiters.
  var count: Int { locks.count }

  /// The number of waits.
  var waiting: Int { waits.values.reduce(0) { $0 + $1.count } }

  /// A reader's lock: shared, unless the reader insists or others wait.
  mutating func read(
    _ key: DocumentKey,
    by owner: Owner,
    insists: Bool,
    deadline: Int64
  ) -> Outcome {
    let isContended = !(locks[key]?.queue.isEmpty ?? true)
    let mode: Mode = insists || isContended ? .exclusive : .shared
    if locks[key]?.holders[owner.number] != nil, mode == .exclusive, !insists {
      return Outcome(answer: .granted)
    }
    return request(key, mode, by: owner, deadline: deadline)
  }

  /// A writer's lock: exclusive, unless there is no other holder and the writer holds nothing
  /// either.
  mutating func write(_ key: DocumentKey, by owner: Owner, deadline: Int64) -> Outcome {
    guard locks[key] != nil else { return Outcome(answer: .granted) }
    return request(key, .exclusive, by: owner, deadline: deadline)
  }

  /// A shared lock on what a query found, where it can be had without waiting.
  mutating func note(_ key: DocumentKey, by owner: Owner) {
    let lock = locks[key] ?? Lock()
    guard lock.holders[owner.number] == nil, lock.queue.isEmpty,
      lock.admits(owner.number, .shared)
    else { return }
    hold(key, .shared, by: owner.number)
  }

  /// Ends everything that an owner holds or waits for; answers the tickets that are served now and
  /// those that will never be.
  mutating func release(_ owner: UInt64) -> (granted: [UInt64], dropped: [UInt64]) {
    var touched = held.removeValue(forKey: owner) ?? []
    var dropped: [UInt64] = []
    for key in touched { locks[key]?.holders[owner] = nil }
    for key in waits.removeValue(forKey: owner) ?? [] {
      dropped += locks[key]?.queue.filter { $0.owner.number == owner }.map(\.ticket) ?? []
      locks[key]?.queue.removeAll { $0.owner.number == owner }
      touched.insert(key)
    }
    let order = touched.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return (order.flatMap { serve($0) }, dropped)
  }

  /// Ends the waits whose deadline has come; answers their tickets and those served instead.
  mutating func expire(now: Int64) -> (granted: [UInt64], expired: [UInt64]) {
    var expired: [UInt64] = []
    var granted: [UInt64] = []
    for key in Set(waits.values.joined()) {
      let late = locks[key]?.queue.filter { $0.deadline <= now } ?? []
      guard !late.isEmpty else { continue }
      locks[key]?.queue.removeAll { $0.deadline <= now }
      for waiter in late { endWait(of: waiter.owner.number, for: key) }
      expired += late.map(\.ticket)
      granted += serve(key)
    }
    return (granted, expired)
  }

  private mutating func request(
    _ key: DocumentKey,
    _ mode: Mode,
    by owner: Owner,
    deadline: Int64
  ) -> Outcome {
    let lock = locks[key] ?? Lock()
    let current = lock.holders[owner.number]
    if current == .exclusive || current == mode { return Outcome(answer: .granted) }
    if (lock.queue.isEmpty || current != nil) && lock.admits(owner.number, mode) {
      hold(key, mode, by: owner.number)
      return Outcome(answer: .granted)
    }
    lastTicket += 1
    let waiter = Waiter(
      ticket: lastTicket,
      owner: owner,
      mode: mode,
      isUpgrade: current != nil,
      deadline: deadline
    )
    enqueue(waiter, for: key)
    return breakCircles(of: waiter, for: key)
  }

  /// Ends waits until the new one closes no circle; each time that of the circle's youngest.
  private mutating func breakCircles(of new: Waiter, for key: DocumentKey) -> Outcome {
    var outcome = Outcome(answer: .waits(ticket: new.ticket))
    while let victim = circle(closedBy: new.owner.number).max(by: { $0.isOlder(than: $1) }) {
      drop(victim.ticket, of: victim.owner, for: victim.key)
      if victim.ticket == new.ticket {
        outcome.answer = .deadlock
      } else {
        outcome.refused.append(victim.ticket)
      }
      outcome.granted += serve(victim.key)
    }
    if let own = outcome.granted.firstIndex(of: new.ticket) {
      outcome.granted.remove(at: own)
      outcome.answer = .granted
    }
    return outcome
  }

  private mutating func drop(_ ticket: UInt64, of owner: UInt64, for key: DocumentKey) {
    locks[key]?.queue.removeAll { $0.ticket == ticket }
    endWait(of: owner, for: key)
  }

  private mutating func hold(_ key: DocumentKey, _ mode: Mode, by owner: UInt64) {
    locks[key, default: Lock()].holders[owner] = mode
    held[owner, default: []].insert(key)
  }

  private mutating func enqueue(_ waiter: Waiter, for key: DocumentKey) {
    let queue = locks[key]?.queue ?? []
    let position = queue.firstIndex { waiter.comesBefore($0) } ?? queue.endIndex
    locks[key, default: Lock()].queue.insert(waiter, at: position)
    waits[waiter.owner.number, default: []].append(key)
  }

  private mutating func endWait(of owner: UInt64, for key: DocumentKey) {
    guard let position = waits[owner]?.firstIndex(of: key) else { return }
    waits[owner]?.remove(at: position)
    if waits[owner]?.isEmpty == true { waits[owner] = nil }
  }

  /// Serves a queue from its front as far as it goes.
  private mutating func serve(_ key: DocumentKey) -> [UInt64] {
    var granted: [UInt64] = []
    while let lock = locks[key], let first = lock.queue.first,
      lock.admits(first.owner.number, first.mode)
    {
      locks[key]?.queue.removeFirst()
      endWait(of: first.owner.number, for: key)
      hold(key, first.mode, by: first.owner.number)
      granted.append(first.ticket)
    }
    if locks[key]?.isVacant == true { locks[key] = nil }
    return granted
  }

  /// One wait of a circle.
  private struct Link {
    let owner: UInt64
    let age: UInt64
    let key: DocumentKey
    let ticket: UInt64

    func isOlder(than other: Link) -> Bool { (age, owner) < (other.age, other.owner) }
  }

  /// The waits over which `owner` waits for itself; empty where it does not.
  private func circle(closedBy owner: UInt64) -> [Link] {
    var stack = [owner]
    /// The wait over which an owner was reached.
    var links: [UInt64: Link] = [:]
    /// The length of a checked queue: all in it wait for those before.
    var followed: [DocumentKey: Int] = [:]
    while let current = stack.popLast() {
      for key in waits[current] ?? [] {
        guard let lock = locks[key],
          let position = lock.queue.lastIndex(where: { $0.owner.number == current })
        else { continue }
        let waiter = lock.queue[position]
        let link = Link(owner: current, age: waiter.owner.age, key: key, ticket: waiter.ticket)
        if current != owner, lock.holders[owner] != nil {
          return chain(to: link, from: owner, links)
        }
        let start = followed[key]
        if let start, start >= position { continue }
        followed[key] = position
        let holders = start == nil ? lock.holders.keys.filter { $0 != current } : []
        let ahead = lock.queue[(start ?? 0)..<position].map(\.owner.number)
        for other in holders + ahead where other != current {
          if other == owner { return chain(to: link, from: owner, links) }
          guard links[other] == nil else { continue }
          links[other] = link
          stack.append(other)
        }
      }
    }
    return []
  }

  private func chain(to last: Link, from owner: UInt64, _ links: [UInt64: Link]) -> [Link] {
    var chain = [last]
    while let link = chain.last, link.owner != owner, let before = links[link.owner] {
      chain.append(before)
    }
    return chain
  }
}
