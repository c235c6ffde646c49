import BaseText
import Synchronization

/// Projects that API keys named and that there are, so that not every request has to ask for its project.
///
/// A key is not a secret. A project that was deleted in the meantime has no installations, whose
/// tokens every request needs. Any thread may call; nothing blocks.
final class NamedProjects: Sendable {
  private let known = Mutex<Set<Text>>([])

  private static let limit = 10_000

  /// Notes the project that a key was found to belong to.
  func note(_ project: Text, key: String?) {
    guard project.string == key else { return }
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known.insert(project)
    }
  }

  func has(_ project: Text) -> Bool { known.withLock { $0.contains(project) } }
}
