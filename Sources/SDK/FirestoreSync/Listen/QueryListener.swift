/// The number of a listener or callback, chosen by the caller that registers it.
package typealias CallbackID = Int

/// The options of a listener.
package struct ListenOptions: Sendable, Hashable {
  /// The source of a listener's results.
  package enum Source: Sendable, Hashable {
    /// The server, and the cache until it answers.
    case server
    /// The cache alone: nothing is sent.
    case cache
  }

  /// The source of results: the server with the cache, or the cache alone.
  package var source: Source
  /// True if a change of metadata alone makes a snapshot too.
  package var includesMetadataChanges: Bool
  /// True if the first snapshot waits for the server while the client may be online.
  package var waitsForSyncWhenOnline: Bool

  /// Options, by default those of a plain listener.
  package init(
    source: Source = .server,
    includesMetadataChanges: Bool = false,
    waitsForSyncWhenOnline: Bool = false
  ) {
    self.source = source
    self.includesMetadataChanges = includesMetadataChanges
    self.waitsForSyncWhenOnline = waitsForSyncWhenOnline
  }
}

/// Decides which of a view's snapshots one listener receives.
struct QueryListener {
  let id: CallbackID
  let options: ListenOptions
  /// The newest snapshot, while the listener has received none.
  private var waiting: ViewSnapshot?
  private var isFirstRaised = false
  private var hadPendingWrites: Bool?
  private var onlineState: OnlineState

  init(id: CallbackID, options: ListenOptions, onlineState: OnlineState) {
    self.id = id
    self.options = options
    self.onlineState = onlineState
  }

  /// Takes a view's snapshot and returns the listener's event.
  mutating func take(_ snapshot: ViewSnapshot) -> ViewSnapshot? {
    let shown = options.includesMetadataChanges ? snapshot : snapshot.withoutMetadataChanges()
    defer { hadPendingWrites = shown.hasPendingWrites }
    guard isFirstRaised else { return first(shown) }
    return isWorthTelling(shown) ? shown : nil
  }

  /// Takes a new online state and returns the first snapshot, if it waited for that.
  mutating func take(_ state: OnlineState) -> ViewSnapshot? {
    onlineState = state
    guard let waiting else { return nil }
    return first(waiting)
  }

  private mutating func first(_ snapshot: ViewSnapshot) -> ViewSnapshot? {
    guard shouldRaiseFirst(snapshot) else {
      waiting = snapshot.withoutChanges()
      return nil
    }
    waiting = nil
    isFirstRaised = true
    return snapshot.initial(excludingMetadata: !options.includesMetadataChanges)
  }

  private func shouldRaiseFirst(_ snapshot: ViewSnapshot) -> Bool {
    if !snapshot.isFromCache || options.source == .cache { return true }
    if options.waitsForSyncWhenOnline && onlineState != .offline { return false }
    return !snapshot.documents.isEmpty || snapshot.hasCachedResults || onlineState == .offline
  }

  private func isWorthTelling(_ snapshot: ViewSnapshot) -> Bool {
    if !snapshot.changes.isEmpty { return true }
    let didPendingChange = hadPendingWrites.map { $0 != snapshot.hasPendingWrites } ?? false
    return options.includesMetadataChanges && (snapshot.didSyncStateChange || didPendingChange)
  }
}
