import PushMessaging
import Synchronization

/// In which environment tokens were found that were registered for the other one.
///
/// In memory alone: after a restart a token is looked for once more. At most `capacity` of them; beyond it all are forgotten.
final class APNsEnvironments: Sendable {
  private let capacity: Int
  private let found = Mutex<[String: PushAddress.Environment]>([:])

  init(capacity: Int = 100_000) { self.capacity = capacity }

  /// The environment for a token that was registered for `environment`.
  func environment(
    of token: String,
    registered environment: PushAddress.Environment
  ) -> PushAddress.Environment {
    found.withLock { $0[token] } ?? environment
  }

  /// Remembers where a token was found.
  func note(_ token: String, in environment: PushAddress.Environment) {
    found.withLock { found in
      if found.count >= capacity, found[token] == nil { found.removeAll() }
      found[token] = environment
    }
  }
}

extension PushAddress.Environment {
  /// The one that it is not.
  var other: PushAddress.Environment { self == .production ? .sandbox : .production }
}
