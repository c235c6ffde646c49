import Synchronization

/// Authentication tokens that installations showed in their last requests: a token that comes with
/// each request is checked once.
///
/// The known tokens are in two generations: when the newer one is full the older one is forgotten.
/// Any thread may call; nothing blocks.
package final class ShownTokens: Sendable {
  private typealias Proved = (installation: InstallationTokens.Installation, end: Int64)

  private struct State {
    var newer: [String: Proved] = [:]
    var older: [String: Proved] = [:]

    mutating func keep(_ proved: Proved, of token: String) {
      if newer.count >= ShownTokens.limit { (older, newer) = (newer, [:]) }
      newer[token] = proved
    }
  }

  private let tokens: InstallationTokens
  private let state = Mutex(State())

  /// Tokens of one generation: as many as a server takes connections.
  private static let limit = 12_000
  /// Longer ones, in bytes, are checked each time.
  private static let longest = 512

  /// Remembers of those tokens the ones that are shown.
  package init(_ tokens: InstallationTokens) { self.tokens = tokens }

  /// The installation whose authentication token it is, valid at a time in seconds; nil for another text.
  package func installation(
    ofAuthToken token: String,
    now: Int64
  ) -> InstallationTokens.Installation? {
    guard let proved = known(token) ?? proved(token), now < proved.end else { return nil }
    return proved.installation
  }

  private func known(_ token: String) -> Proved? {
    state.withLock { state in
      if let proved = state.newer[token] { return proved }
      guard let proved = state.older[token] else { return nil }
      state.keep(proved, of: token)
      return proved
    }
  }

  private func proved(_ token: String) -> Proved? {
    guard let proved = tokens.proved(byAuthToken: token) else { return nil }
    if token.utf8.count <= Self.longest { state.withLock { $0.keep(proved, of: token) } }
    return proved
  }
}
