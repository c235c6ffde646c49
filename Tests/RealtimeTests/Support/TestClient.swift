import BaseRuntime
import BaseStatus
import Crypto
import FirestoreModel
import Synchronization

@testable import Realtime

/// A client that keeps what it is sent, as the SDKs do, and notes the frames as text.
///
/// Frames: `+1` added, `-1` removed (with the code of a cause), `0 1` reset, `a/x 1` changed in
/// target 1, `a/x 1!2` changed in 1 and no longer in 2, `a/x !1` left, `x a/x !1` deleted,
/// `#1=3` filter, `#1=3?` filter with names, `=1` current, `.` consistent, `~1,2` a token for
/// these targets, `:` consistent without a token, `end 5` the end of the stream.
final class TestClient: Sendable {
  struct State {
    var frames: [String] = []
    /// The documents that the client held of each target when it came.
    var kept: [Int32: Set<ResourcePath>] = [:]
    /// Each target's documents, as the frames leave them.
    var targets: [Int32: Set<ResourcePath>] = [:]
    var documents: [ResourcePath: DocumentRecord] = [:]
    var current: Set<Int32> = []
    var lastPoint: CommitVersion = .zero
    var token: [UInt8] = []
    /// Each target's token: as official clients do, it takes that of a consistency point for all
    /// targets that it was told of, whether they are current or not.
    var tokens: [Int32: [UInt8]] = [:]
    /// True if a consistency point ever went back.
    var wentBack = false
    var isReading = true
    /// The number of sends that may pass before the client stops taking them.
    var budget = Int.max
    /// Targets whose filter did not count what the client had at that moment.
    var mismatches: [Int32] = []
    var error: ServiceError?
    var hasEnded = false
    /// Every document name that was ever sent.
    var named: Set<ResourcePath> = []
    /// Runs at each consistency point.
    var onPoint: (@Sendable (State) -> Void)?
  }

  private final class Sink: ListenSink {
    let state = Mutex(State())

    func send(_ events: [ListenEvent]) -> Bool {
      state.withLock { state in
        for event in events { state.take(event) }
        state.budget -= 1
        return state.budget > 0
      }
    }

    func setReading(_ isReading: Bool) { state.withLock { $0.isReading = isReading } }

    func finish(_ error: ServiceError?) {
      state.withLock { state in
        state.frames.append("end \(error?.code.rawValue ?? 0)")
        state.error = error
        state.hasEnded = true
      }
    }
  }

  let stream: ListenStream
  private let sink: Sink

  init(
    hub: ListenHub,
    database: DatabaseID,
    authority: any ListenAuthority,
    account: LedgerAccount? = nil
  ) {
    sink = Sink()
    stream = hub.open(database, sink: sink, authority: authority, account: account)
  }

  var state: State { sink.state.withLock { $0 } }

  func change(_ body: (inout State) -> Void) { sink.state.withLock { body(&$0) } }

  /// The frames since the last call.
  func takeFrames() -> [String] {
    sink.state.withLock { state in
      defer { state.frames = [] }
      return state.frames
    }
  }

  func listen(
    _ query: Query,
    _ id: Int32 = 1,
    once: Bool = false,
    from resumption: TargetRequest.Resumption? = nil,
    expecting count: Int? = nil
  ) {
    stream.add(
      TargetRequest(
        id: id,
        subject: .query(query),
        once: once,
        resumption: resumption,
        expectedCount: count
      )
    )
  }

  func listen(
    documents: [ResourcePath],
    _ id: Int32 = 1,
    from resumption: TargetRequest.Resumption? = nil
  ) {
    stream.add(TargetRequest(id: id, subject: .documents(documents), resumption: resumption))
  }

  /// A target's documents as the client holds them.
  func contents(_ id: Int32 = 1) -> [ResourcePath: MapValue] {
    let state = state
    var result: [ResourcePath: MapValue] = [:]
    for path in state.targets[id] ?? [] { result[path] = state.documents[path]?.fields.decoded() }
    return result
  }
}

extension TestClient.State {
  fileprivate mutating func take(_ event: ListenEvent) {
    switch event {
    case .added(let id):
      frames.append("+\(id)")
      // A target that goes on keeps what the client holds of it.
      if targets[id] == nil { targets[id] = [] }
    case .removed(let id, let cause):
      frames.append(cause.map { "-\(id) \($0.code.rawValue)" } ?? "-\(id)")
      targets[id] = nil
      tokens[id] = nil
      current.remove(id)
    case .reset(let id):
      frames.append("0 \(id)")
      targets[id] = []
      tokens[id] = nil
      current.remove(id)
    case .changed(let document, let ids, let removed):
      let path = document.name.path
      named.insert(path)
      documents[path] = document.record
      for id in ids { targets[id, default: []].insert(path) }
      for id in removed { targets[id]?.remove(path) }
      let left = removed.map { "!\($0)" }.joined()
      frames.append("\(path.string) \(ids.map(String.init).joined(separator: ","))\(left)")
    case .left(let document, let removed, _):
      remove(document.name.path, from: removed)
      frames.append("\(document.name.path.string) " + removed.map { "!\($0)" }.joined())
    case .deleted(let document, let removed, _):
      remove(document.name.path, from: removed)
      frames.append("x \(document.name.path.string) " + removed.map { "!\($0)" }.joined())
    case .filter(let id, let count, let names):
      frames.append("#\(id)=\(count)" + (names == nil ? "" : "?"))
      if targets[id]?.count != count, !apply(names, id, count), !mismatches.contains(id) {
        mismatches.append(id)
      }
    case .current(let id, let point):
      frames.append("=\(id)")
      current.insert(id)
      token = point.token
      tokens[id] = point.token
    case .progressed(let ids, let point):
      frames.append("~" + ids.map(String.init).joined(separator: ","))
      for id in ids { tokens[id] = point.token }
    case .consistent(let point):
      frames.append(point.token.isEmpty ? ":" : ".")
      if point.version < lastPoint { wentBack = true }
      lastPoint = point.version
      if !point.token.isEmpty {
        token = point.token
        for id in targets.keys { tokens[id] = token }
      }
      onPoint?(self)
    }
  }

  /// Drops what a filter does not hold, and counts as official clients do: whether that makes the
  /// client's documents as many as there are.
  private mutating func apply(_ names: BloomFilter?, _ id: Int32, _ count: Int) -> Bool {
    guard let names, let held = targets[id] else { return false }
    let dropped = kept[id, default: []].filter { path in
      !names.mayHold(DocumentName(database: HubFixture.id, path: path))
    }
    targets[id] = held.subtracting(dropped)
    return held.count - dropped.count == count
  }

  private mutating func remove(_ path: ResourcePath, from ids: [Int32]) {
    named.insert(path)
    for id in ids { targets[id]?.remove(path) }
  }
}

extension BloomFilter {
  /// Returns true if a name's bits are set, by the clients' side of the rule.
  func mayHold(_ name: DocumentName) -> Bool {
    let digest = Array(Insecure.MD5.hash(data: Array(name.string.utf8)))
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let (first, second) = (number(digest[..<8]), number(digest[8...]))
    let bitCount = UInt64(bitmap.count * 8 - padding)
    return (0..<UInt64(Self.hashCount)).allSatisfy { index in
      let bit = (first &+ index &* second) % bitCount
      return bitmap[Int(bit / 8)] & (1 << UInt8(bit % 8)) != 0
    }
  }
}
