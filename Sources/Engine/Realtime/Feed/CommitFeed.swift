import DocumentStore
import FirestoreModel
import KeyValueStore
import Synchronization

/// The way of commits from the store's writer to the hub's thread.
///
/// It goes into the store's configuration before the store is opened, then to the hub. While nobody
/// listens it only remembers how far the store has come. Any thread may call.
package final class CommitFeed: CommitObserver {
  private struct State {
    var isFlowing = false
    /// No commit that the feed has not heard of has this version or one below.
    var through = CommitVersion.zero
  }

  let inbox = BlockingQueue<HubInput>()
  private let state = Mutex(State())

  /// A feed that nobody listens to yet.
  package init() {}

  package func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit]) {
    state.withLock { state in
      state.through = version
      guard state.isFlowing else { return }
      _ = inbox.put(.commits(through: version, commits()))
    }
  }

  package func databaseRetired(_ id: DatabaseID, incarnation: Incarnation) {
    _ = inbox.put(.retired(incarnation))
  }

  /// Notes a version up to which the store has told everything.
  func advance(to version: CommitVersion) {
    state.withLock { $0.through = max($0.through, version) }
  }

  /// Lets commits flow; answers the version after which they do, without a gap.
  func start() -> CommitVersion {
    state.withLock { state in
      state.isFlowing = true
      return state.through
    }
  }

  /// Stops the flow; what is in the inbox stays there.
  func stop() { state.withLock { $0.isFlowing = false } }
}
