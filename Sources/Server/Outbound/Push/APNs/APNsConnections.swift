import AsyncHTTPClient
import Synchronization

/// The connections to one environment of Apple's service, used in turn; more of them while all have much to do.
///
/// Each is one HTTP/2 connection, with as many streams as Apple allows; a client reopens it after
/// GOAWAY. One on which a request got no response in time is replaced, since a connection can be dead
/// without anybody saying so. A connection that is idle for a minute is closed, and the next
/// request opens another one. So no connection needs a check for being alive.
///
/// In debug builds the client library asserts if a server changes its limit of streams while a
/// connection is idle. In release builds the only effect is that the idle connection is closed
/// sooner.
final class APNsConnections: Sendable {
  /// A connection, and which it was of those in its slot.
  struct Selection: Sendable {
    let client: PushHostClient
    fileprivate let slot: Int
    fileprivate let generation: Int
  }

  private struct Slot {
    var client: PushHostClient
    var generation = 0
  }

  private struct State {
    var slots: [Slot] = []
    var next = 0
    var isClosed = false
  }

  /// More requests than streams wait in the client; beyond this many they are the caller's to repeat.
  private static let inFlight = PushHostBounds(2_000)
  /// Connections at most.
  private static let most = 8

  private let url: FetchURL
  private let settings: PushHostSettings
  private let count: Int
  /// From how many requests in flight on each connection on there is another one; Apple allows about a thousand.
  private let saturation: Int
  private let state = Mutex(State())

  init(_ url: FetchURL, count: Int, saturation: Int = 500, settings: PushHostSettings) {
    self.url = url
    self.count = count
    self.saturation = saturation
    self.settings = settings
  }

  /// The connection whose turn it is, or a new one where all have much to do; nil once they are shut down.
  func select() -> Selection? {
    state.withLock { state in
      if state.isClosed { return nil }
      let isNew =
        state.slots.count < count
        || (state.slots.count < Self.most && state.slots.allSatisfy { isSaturated($0) })
      if isNew { state.slots.append(Slot(client: client())) }
      let slot = isNew ? state.slots.count - 1 : next(&state)
      let chosen = state.slots[slot]
      return Selection(client: chosen.client, slot: slot, generation: chosen.generation)
    }
  }

  /// The slot whose turn it is, passing over those with much to do while others have less.
  private func next(_ state: inout State) -> Int {
    for _ in state.slots {
      state.next = (state.next + 1) % state.slots.count
      if !isSaturated(state.slots[state.next]) { break }
    }
    return state.next
  }

  private func isSaturated(_ slot: Slot) -> Bool { slot.client.load >= saturation }

  /// Replaces a silent connection with a new one; nothing happens if another caller did already.
  func replace(_ selection: Selection) async {
    let old = state.withLock { state -> PushHostClient? in
      guard !state.isClosed, state.slots[selection.slot].generation == selection.generation else {
        return nil
      }
      state.slots[selection.slot].client = client()
      state.slots[selection.slot].generation += 1
      return selection.client
    }
    await old?.retire()
  }

  /// Ends the connections, once the requests in flight are over.
  func shutdown() async {
    let slots = state.withLock { state in
      state.isClosed = true
      return state.slots
    }
    for slot in slots { await slot.client.retire() }
  }

  private func client() -> PushHostClient {
    settings.client(for: url, at: nil, bounds: Self.inFlight)
  }
}
