import AsyncHTTPClient
import Synchronization

/// An HTTP client that is shut down when it is retired and its last request is over.
final class LeasedClient: Sendable {
  private struct State {
    var uses = 0
    var isRetired = false
  }

  private let client: HTTPClient
  private let state = Mutex(State())

  /// Takes over the client; no other owner may shut it down.
  init(_ client: HTTPClient) { self.client = client }

  /// The client, to be given back by `release()`; nil where it is retired.
  func lease() -> HTTPClient? {
    state.withLock { state in
      if state.isRetired { return nil }
      state.uses += 1
      return client
    }
  }

  /// Ends a lease.
  func release() async {
    let isLast = state.withLock { state in
      state.uses -= 1
      return state.isRetired && state.uses == 0
    }
    if isLast { await shutDown() }
  }

  /// Lets no new request begin; idempotent.
  func retire() async {
    let isUnused = state.withLock { state in
      guard !state.isRetired else { return false }
      state.isRetired = true
      return state.uses == 0
    }
    if isUnused { await shutDown() }
  }

  /// A failure to close unused connections has no effect.
  private func shutDown() async {
    do { try await client.shutdown() } catch {}
  }
}
