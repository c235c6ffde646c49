import Synchronization

/// The transports to the hosts of push services, one for each origin with recent requests.
///
/// A host's addresses are resolved and judged before its first request and again after a minute of use; a way whose
/// address is no longer among them is retired. At most `capacity` ways are kept: beyond it the one that was used longest ago
/// goes, if it is idle.
final class PushHostPool: Sendable {
  private struct Entry {
    let client: PushHostClient
    /// From when on the host is resolved again.
    var review: ContinuousClock.Instant
    var lastUse: ContinuousClock.Instant
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var isClosed = false
  }

  private static let reviewInterval = Duration.seconds(60)
  /// The number of requests that a browsers' service may have in flight.
  private static let browsers = PushHostBounds(1_000)

  private let hosts: PushHosts
  private let settings: PushHostSettings
  private let lookups: NameLookups
  private let state = Mutex(State())

  init(_ hosts: PushHosts, settings: PushHostSettings) {
    self.hosts = hosts
    self.settings = settings
    lookups = NameLookups(settings.resolve)
  }

  /// The way to the URL's origin; throws `OutboundError` where nothing may be asked there.
  func client(for url: FetchURL) async throws -> PushHostClient {
    guard let origin = hosts.origin(of: url) else {
      throw OutboundError(.refused, "the host is not an allowed push service")
    }
    if let client = current(url.origin) { return client }
    let policy = hosts.policy(for: origin)
    try policy.check(url)
    let judge = AddressJudge(policy: policy, lookups: lookups)
    let addresses = try await judge.addresses(of: url)
    let bounds = origin == .browsers ? Self.browsers : settings.addedHosts
    return try await install(url, addresses, bounds)
  }

  /// Ends all ways; requests in flight are waited for by those who sent them.
  func shutdown() async {
    let entries = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return state.entries
    }
    for entry in entries.values { await entry.client.retire() }
  }

  /// Returns the client of a host if it needs no review.
  ///
  /// The first caller that finds one due postpones it, so that one task resolves and the others
  /// continue.
  private func current(_ origin: String) -> PushHostClient? {
    let now = ContinuousClock.now
    return state.withLock { state in
      guard var entry = state.entries[origin] else { return nil }
      let isDue = entry.review <= now
      if isDue { entry.review = now + settings.timeout }
      entry.lastUse = now
      state.entries[origin] = entry
      return isDue ? nil : entry.client
    }
  }

  private func install(
    _ url: FetchURL,
    _ addresses: [NetworkAddress],
    _ bounds: PushHostBounds
  ) async throws -> PushHostClient {
    let now = ContinuousClock.now
    let (client, retired) = try state.withLock { state in
      if state.isClosed { throw OutboundError(.overloaded, "the server stops") }
      let old = state.entries[url.origin]
      if var entry = old, entry.client.address.map(addresses.contains) ?? true {
        entry.review = now + Self.reviewInterval
        state.entries[url.origin] = entry
        return (entry.client, [PushHostClient]())
      }
      let client = settings.client(for: url, at: addresses[0], bounds: bounds)
      state.entries[url.origin] = Entry(
        client: client,
        review: now + Self.reviewInterval,
        lastUse: now
      )
      return (client, [old?.client].compactMap(\.self) + evicted(&state))
    }
    for client in retired { await client.retire() }
    return client
  }

  private func evicted(_ state: inout State) -> [PushHostClient] {
    guard state.entries.count > settings.capacity else { return [] }
    let oldest = state.entries.filter { $0.value.client.isIdle }.min {
      $0.value.lastUse < $1.value.lastUse
    }
    guard let oldest else { return [] }
    state.entries[oldest.key] = nil
    return [oldest.value.client]
  }
}
