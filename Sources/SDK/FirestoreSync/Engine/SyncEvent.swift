import FirestoreModel

/// A timer that the engine asks its driver for; there is at most one of each.
package enum SyncTimer: String, Sendable, Hashable, CaseIterable {
  case onlineState
  case watchIdle
  case watchBackoff
  case watchHealth
  case writeIdle
  case writeBackoff
  case writeHealth
  /// Before a transaction of the local store that failed is tried again.
  case storageRetry
}

/// An input of a client: a call of the app, a message of the server, or a timer.
package enum SyncEvent: Sendable {
  // The app's calls.
  case listen(CallbackID, ListenQuery, ListenOptions)
  case unlisten(CallbackID)
  case write(CallbackID, [Write], localWriteTime: Timestamp)
  case waitForPendingWrites(CallbackID)
  case addSnapshotsInSyncListener(CallbackID)
  case removeSnapshotsInSyncListener(CallbackID)
  /// A bundle's bytes, complete; the closure receives the progress of the read, at once.
  case loadBundle(CallbackID, [UInt8], progress: @Sendable (BundleProgress) -> Void = { _ in })

  // The client's own life.
  /// Connects, and sends what the queue holds from an earlier life.
  case start
  case enableNetwork
  case disableNetwork
  case changeUser(UserID)
  case collectGarbage(CollectionParameters)
  /// Closes the streams; the engine does nothing any more.
  case shutdown

  // The streams. Events of any but the newest connection are ignored.
  case watchOpened(StreamID)
  case watchChanged(StreamID, WatchChange)
  /// Nil is an end that the server calls orderly.
  case watchClosed(StreamID, FirestoreFailure?)
  case writeOpened(StreamID)
  case writeShaken(StreamID, token: [UInt8])
  /// The answer to the oldest batch that was sent and not answered.
  case writeAcknowledged(
    StreamID,
    token: [UInt8],
    commitVersion: CommitVersion,
    results: [WriteResult]
  )
  case writeClosed(StreamID, FirestoreFailure?)

  case timerFired(SyncTimer)
}

/// An instruction to a driver; drivers carry them out in order.
package enum SyncEffect: Sendable {
  // The streams. `open…` is answered by `…Opened` or `…Closed`, with fresh credentials.
  case openWatch(StreamID)
  case listen(StreamID, TargetData)
  case unlisten(StreamID, TargetID)
  case closeWatch(StreamID)
  case openWrite(StreamID)
  /// The first message of a write stream.
  case shakeHands(StreamID)
  /// One batch, with the last token of the stream; empty before the stream is closed in order.
  case sendWrites(StreamID, BatchID?, [Write], token: [UInt8])
  case closeWrite(StreamID)
  /// The next stream needs newly fetched credentials.
  case invalidateCredentials

  /// Replaces a running timer of the same kind. With `jitter` the delay is varied by up to a half.
  case startTimer(SyncTimer, after: Duration, jitter: Bool)
  case cancelTimer(SyncTimer)

  // The app's callbacks.
  case snapshot(CallbackID, ViewSnapshot)
  /// The listener's end.
  case listenFailed(CallbackID, FirestoreFailure)
  case writeCompleted(CallbackID, FirestoreFailure?)
  case pendingWritesDone(CallbackID, FirestoreFailure?)
  case snapshotsInSync(CallbackID)
  case bundleLoaded(CallbackID, BundleProgress)
  case bundleFailed(CallbackID, FirestoreFailure)
  case garbageCollected(CollectionResult)
}
