import FirestoreModel

/// The state that waits while a limited view's window is read.
final class WindowReading {
  /// The entries that clients have been shown; nil if none have been shown anything.
  let shown: [WindowEntry]?
  /// The changes since then, with the hub's version at each.
  var changes: [(version: CommitVersion, change: BatchChange)]
  /// Nil before the reading begins.
  var reader: WindowReader?
  /// The streams that may not receive anything later until this is sent, one a target.
  var held: [StreamState] = []

  /// The first reading of a window.
  init() {
    shown = nil
    changes = []
  }

  /// A window that must be read again, where a batch has come to more than memory can tell.
  init(shown: [WindowEntry], changes: [(version: CommitVersion, change: BatchChange)]) {
    self.shown = shown
    self.changes = changes
  }
}
