import BaseRuntime
import DocumentStore
import FirestoreModel
import Synchronization

/// The way of commits from the store's writer to the hub's thread.
///
/// It goes into the store's configuration before the store is opened, then to the hub. Without
/// listeners it only remembers how far the store has come. The commits that wait for the hub are
/// bounded: if the hub falls behind by more, commits are left out, and the hub is notified of the
/// gap instead. Any thread may call.
package final class CommitFeed: CommitObserver {
  private struct State {
    var isFlowing = false
    /// No commit that the feed has not received has this version or one below.
    var through = CommitVersion.zero
    /// About how many bytes of commits wait for the hub.
    var bytes = 0
    /// True if commits have been left out and the hub has not been notified of it.
    var hasGap = false
  }

  let inbox = BlockingQueue<HubInput>()
  private let state = Mutex(State())
  private let maximumBytes: Int
  private let account: LedgerAccount?

  /// A feed without a listener.
  ///
  /// - Parameters:
  ///   - maximumBytes: The approximate number of bytes of commits that may wait for the hub, beside
  ///     one group.
  ///   - account: The account that these bytes also count against: if it has no room, commits are
  ///     left out too.
  package init(maximumBytes: Int = 64 << 20, account: LedgerAccount? = nil) {
    self.maximumBytes = maximumBytes
    self.account = account
  }

  /// About how many bytes of commits wait for the hub.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// Queues the group's commits for the hub while there are listeners, or a gap if there is no
  /// room.
  ///
  /// Remembers the version in any case; it makes no list of commits that it does not queue.
  package func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit]) {
    state.withLock { state in
      // An engine that could not report all writes of others repeats it.
      let known = state.through
      state.through = max(known, version)
      guard state.isFlowing, !state.hasGap else { return }
      guard state.bytes < maximumBytes else {
        state.hasGap = inbox.put(.gap)
        return
      }
      let commits = commits().filter { $0.version > known }
      let size = commits.reduce(0) { $0 + $1.approximateBytes }
      guard account?.reserve(size, for: .feed) != false else {
        state.hasGap = inbox.put(.gap)
        return
      }
      if inbox.put(.commits(through: version, commits, bytes: size)) {
        state.bytes += size
      } else {
        account?.release(size, for: .feed)
      }
    }
  }

  /// Notifies the hub of a gap, unless there are no listeners or it has one to read about already.
  package func missedCommits() {
    state.withLock { state in
      guard state.isFlowing, !state.hasGap else { return }
      state.hasGap = inbox.put(.gap)
    }
  }

  /// Notifies the hub of the end of this life of the database; listeners then turn to the next one.
  package func databaseRetired(_ id: DatabaseID, incarnation: Incarnation) {
    _ = inbox.put(.retired(incarnation))
  }

  /// Records a version up to which the store has reported everything.
  func advance(to version: CommitVersion) {
    state.withLock { $0.through = max($0.through, version) }
  }

  /// The hub has taken commits of so many bytes.
  func release(_ bytes: Int) {
    state.withLock { $0.bytes -= bytes }
    account?.release(bytes, for: .feed)
  }

  /// The hub has received the gap: commits may flow again.
  func endGap() { state.withLock { $0.hasGap = false } }

  /// Lets commits flow; answers the version after which they do, without a gap.
  func start() -> CommitVersion {
    state.withLock { state in
      state.isFlowing = true
      return state.through
    }
  }

  /// Stops the flow; the contents of the inbox stay there.
  func stop() { state.withLock { $0.isFlowing = false } }
}

extension PublishedCommit {
  /// About how much memory the commit takes while it waits.
  fileprivate var approximateBytes: Int {
    changes.reduce(128) { bytes, change in
      bytes + 256 + (change.old?.fields.bytes.count ?? 0) + (change.new?.fields.bytes.count ?? 0)
    }
  }
}
