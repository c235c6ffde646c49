import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

/// The outcome of a batch.
package struct BatchReceipt: Sendable, Equatable {
  /// Events that were kept, or shown in the DebugView.
  package var accepted = 0
  /// Every dropped event, and dropped parts up to 1,000 reports in all; empty for a repeat.
  package var drops: [EventDrop] = []
  /// True if the server had it already.
  package var isRepeated = false
}

/// A batch that was held to the limits, and the bytes in which it is kept.
package struct CheckedBatch: Sendable {
  fileprivate let kept: EventBatch
  /// The names by which a repeat is recognized, the batch's own first; none where it counts again.
  fileprivate let identities: [String]
  fileprivate let drops: [EventDrop]
  fileprivate let bytes: [UInt8]
}

extension EventAnalytics {
  /// For how long a batch's number is known, in microseconds.
  static let repeatWindow: Int64 = 7 * 86_400 * 1_000_000

  /// Counts the cost of a request against the shares of its sender; RESOURCE_EXHAUSTED if there is
  /// no room for it.
  package func admit(_ bytes: Int, from sender: EventSender) throws(ServiceError) {
    do throws(ServiceError) {
      try requireRoom(for: sender)
      try limiter.take(bytes, from: sender, now: clock.now())
    } catch {
      state.withLock { $0.counts.noteRefusal(of: sender.standing) }
      throw error
    }
  }

  private func requireRoom(for sender: EventSender) throws(ServiceError) {
    guard space.takes(sender.standing) else {
      throw ServiceError(.resourceExhausted, "The server's disk is nearly full.")
    }
    if let log = log(of: sender.project), log.waiting.segments >= configuration.waitingSegments {
      throw ServiceError(
        .resourceExhausted,
        "Too many events are waiting to be counted. Try again later."
      )
    }
  }

  /// Checks a batch and stores its allowed parts; returns when it is durable.
  ///
  /// - Parameter sent: The app's clock when it sent the batch, in microseconds; nil does not correct times.
  package func record(
    _ batch: EventBatch,
    from sender: BatchCheck.Sender,
    sent: Int64? = nil,
    project: Text
  ) async throws -> BatchReceipt {
    try await record(check(batch, from: sender, sent: sent), project: project)
  }

  /// Holds a batch to the limits: the work of an intake, which needs no project.
  ///
  /// - Parameter sent: As in `record`.
  package func check(
    _ batch: EventBatch,
    from sender: BatchCheck.Sender,
    sent: Int64? = nil
  ) -> CheckedBatch {
    var check = BatchCheck(sender, now: clock.now())
    var kept = check.check(batch, sent: sent)
    if !batch.standing.isProven { kept.instanceID = batch.instanceID.map(InstanceName.unproven) }
    return CheckedBatch(
      kept: kept,
      identities: batch.identities,
      drops: check.drops,
      bytes: kept.isStored ? kept.encoded : []
    )
  }

  /// Stores the allowed parts of a batch; returns when it is durable.
  package func record(_ batch: CheckedBatch, project: Text) async throws -> BatchReceipt {
    let (kept, now) = (batch.kept, batch.kept.received)
    let log = try await openLog(of: project)
    let isNew = try await keep(batch, in: log, now: now)
    note(kept, isNew: isNew)
    guard isNew else { return BatchReceipt(isRepeated: true) }
    if kept.isDebug {
      debug.note(kept, of: project, drops: batch.drops, now: now)
    } else {
      live.note(kept, of: project, now: now)
    }
    return BatchReceipt(accepted: kept.events.count, drops: batch.drops)
  }

  /// Writes a batch and answers whether its number was not seen before.
  private func keep(_ checked: CheckedBatch, in log: ProjectLog, now: Int64) async throws -> Bool {
    let (batch, bytes) = (checked.kept, checked.bytes)
    let marks = checked.identities.compactMap { id in
      batch.number.map { EventKey.batch(log.number, id, $0) }
    }
    let isStored = batch.isStored
    guard isStored || !marks.isEmpty else { return true }
    let follower = isStored ? keyEventFollower(of: batch, in: log) : nil
    do {
      let isNew = try await engine.commit { group in
        for mark in marks {
          guard let seen = try group.get(mark) else { continue }
          if Self.time(seen) > now - Self.repeatWindow { return false }
        }
        if let own = marks.first { try group.put(own, Self.bytes(now)) }
        if isStored {
          let events = batch.events.count + 1
          let key = log.take(events: events, now: now)
          try group.put(key, bytes)
          if follower != nil { try group.put(EventKey.outbox(of: key), bytes) }
        }
        return true
      }
      if isNew { follower?.landed() }
      return isNew
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  private func note(_ batch: EventBatch, isNew: Bool) {
    state.withLock { state in
      state.counts.batches += 1
      if !batch.standing.isProven { state.counts.unproven += 1 }
      guard isNew else {
        state.counts.repeated += 1
        return
      }
      state.counts.dropped += batch.dropped.values.reduce(0, +)
      if batch.isDebug {
        state.counts.debug += batch.events.count
      } else {
        state.counts.events += batch.events.count
      }
    }
  }

  /// The log of a project, made with its first batch.
  func openLog(of project: Text) async throws -> ProjectLog {
    if let log = log(of: project) { return log }
    do {
      let record = try await engine.commit { group in try Self.makeProject(project, in: group) }
      return adopt(project, record)
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  static func makeProject(
    _ project: Text,
    in group: any KeyValueGroup
  ) throws -> ProjectRecord {
    if let known = try group.get(EventKey.project(project)) {
      return try ProjectRecord(decoding: known)
    }
    let count = try group.get(EventKey.projects).map { UInt32(truncatingIfNeeded: Self.time($0)) }
    let record = ProjectRecord(number: (count ?? 0) + 1)
    try group.put(EventKey.project(project), record.encoded)
    try group.put(EventKey.projects, Self.bytes(Int64(record.number)))
    return record
  }

  /// The log of a project that was just made, the same for all who made it at once.
  func adopt(_ project: Text, _ record: ProjectRecord) -> ProjectLog {
    state.withLock { state in
      if let known = state.projects[project] { return known }
      let log = ProjectLog(name: project, record: record, segment: 1, closed: [])
      state.projects[project] = log
      return log
    }
  }

  static func bytes(_ number: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    appendBigEndian(UInt64(bitPattern: number), to: &bytes)
    return bytes
  }

  static func time(_ bytes: [UInt8]) -> Int64 {
    var position = 0
    return bytes.withUnsafeBytes { readBigEndian($0, at: &position) }.map { Int64(bitPattern: $0) }
      ?? 0
  }

  /// The last thirty minutes of a project, the oldest first, and their users.
  package func liveMinutes(of project: Text) -> (minutes: [LiveMinute], users: Int) {
    live.minutes(of: project, now: clock.now())
  }

  /// The devices in debug mode.
  package func debugDevices(of project: Text) -> [DebugDevice] {
    debug.devices(of: project, now: clock.now())
  }
}

extension EventBatch {
  /// The names under which its number may have been seen.
  ///
  /// A sender that proves nothing leaves marks of its own, so that it cannot use up the numbers of the installation that it
  /// names. It looks at that one's marks, too: an app may send a batch again without the token that it had.
  fileprivate var identities: [String] {
    guard let instanceID else { return fingerprint.map { [$0] } ?? [] }
    return standing.isProven ? [instanceID] : [InstanceName.unproven(instanceID), instanceID]
  }

  /// True if the log stores it; the batches of a device in debug mode are shown and not counted.
  fileprivate var isStored: Bool { !isDebug && (!events.isEmpty || !dropped.isEmpty) }
}

extension EventAnalytics {
  /// The server's clock: microseconds since the epoch.
  package var now: Int64 { clock.now() }

  /// Returns true if a project has sent events.
  package func knows(_ project: Text) -> Bool { log(of: project) != nil }

  /// Returns the parts that would be dropped of a server's batch.
  package func problems(with batch: EventBatch) -> [EventDrop] {
    var check = BatchCheck(.server, now: clock.now())
    _ = check.check(batch)
    return check.drops
  }
}
