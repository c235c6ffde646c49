import DocumentStore
import FirestoreModel

// A batch of commits: views first, then windows, then the decisions that it shakes, then one flush.

extension HubCore {
  func apply(_ batch: inout CommitBatch) {
    guard !batch.isEmpty else { return }
    // Targets that became complete before the batch are reported at the version of their
    // completion.
    flushTouched()
    advance(to: batch.version)
    counters.batches += 1
    counters.commits += UInt64(batch.commits)
    notePendingDecisions(of: batch)
    let changes = changes(of: batch)
    for (views, change) in changes { doubt(after: change, in: views) }
    for (views, change) in changes { judge(change, in: views) }
    endWindows()
    decideDoubted()
    flushTouched()
    batch = CommitBatch()
  }

  /// The changes in databases with listeners.
  private func changes(of batch: CommitBatch) -> [(DatabaseViews, BatchChange)] {
    batch.keys.compactMap { key in
      guard let views = databases[key.incarnation], let change = batch[key] else { return nil }
      let name = DocumentName(database: change.database, path: key.path)
      let document = SharedDocument(
        name: name,
        record: change.new?.record(name: name),
        ordinal: nextOrdinal()
      )
      return (views, BatchChange(old: change.old?.record(name: name), document: document))
    }
  }

  /// Notifies the decisions in progress of changes to their premises.
  private func notePendingDecisions(of batch: CommitBatch) {
    for pending in pendingDecisions.values {
      let incarnation = pending.database.incarnation
      for key in batch.keys where key.incarnation == incarnation { pending.note(key.path) }
    }
  }

  private func judge(_ change: BatchChange, in views: DatabaseViews) {
    let ordinal = change.document.ordinal
    views.forEachCandidate(change) { view in
      guard view.lastJudged != ordinal else { return }
      view.lastJudged = ordinal
      view.take(change, at: now, hub: self)
    }
  }

  /// Called once a batch for each window that it changes.
  func noteWindow(_ view: View) { changedWindows.append(view) }

  private func endWindows() {
    let views = changedWindows
    changedWindows = []
    for view in views where !view.endBatch(at: now, hub: self) { readAgain(view) }
  }

  /// Has a window read again; until then its streams receive nothing later.
  private func readAgain(_ view: View) {
    guard case .reading(let reading) = view.content else { return }
    counters.refills += 1
    for target in view.targets where !target.isWaiting {
      target.stream.awaitedWindows += 1
      reading.held.append(target.stream)
    }
    jobs.addUrgent(.window(view.id))
  }

  /// The window of a view is there, or not wanted any more: its streams continue.
  func release(_ reading: WindowReading) {
    let streams = reading.held
    reading.held = []
    for stream in streams {
      stream.awaitedWindows -= 1
      goOn(stream)
    }
  }

  /// Hands a change to a target: to its stream, or to what waits for the end of its opening.
  func note(_ change: DocumentChange, for target: Target) {
    switch target.phase {
    case .lost: return
    case .current:
      target.stream.changes.append((change, target))
      counters.deliveries += 1
      if target.decision?.dependsOnTime == true { doubt(target) }
      touch(target.stream)
    case .opening(let opening):
      if case .waiting = opening.stage { return }
      opening.note(change)
      if opening.changes.size > configuration.backlogBytes || !target.stream.count(opening) {
        lose(target)
      }
    }
  }

  /// A time was reported: everything up to it has been processed.
  func hear(_ version: CommitVersion) {
    asksTime = false
    advance(to: version)
    sendHeartbeats()
  }
}
