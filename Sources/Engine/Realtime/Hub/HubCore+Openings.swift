import BaseStatus
import DocumentStore

// The start of targets and limited views: the first read, and the move to following changes.

extension HubCore {
  /// Starts as many reads and decisions as may run at once.
  func startReads() {
    while let job = jobs.takeNext() {
      let isStarted =
        switch job {
        case .opening(let id): startReading(id)
        case .window(let id): startReading(id)
        case .decision(let id): startDeciding(id)
        }
      guard isStarted else { return jobs.addUrgent(job) }
    }
  }

  /// True if it reads, or is not wanted any more.
  private func startReading(_ id: OpeningID) -> Bool {
    guard let target = openings[id], case .opening(let opening) = target.phase else { return true }
    guard !target.view.isReading else {
      target.view.waitingOpenings.append(id)
      return true
    }
    let restsOnData = target.isDoubted || target.decision?.restsOnData == true
    let reader = TargetReader(
      target.view.subject,
      in: target.view.database,
      at: now,
      resumption: opening.resumption,
      expectedCount: opening.expectedCount,
      authority: restsOnData ? target.stream.authority : nil,
      slice: configuration.readSlice
    )
    guard jobs.read(reader, for: id) else { return false }
    opening.reader = reader
    opening.stage = .reading
    return true
  }

  private func startReading(_ id: ViewID) -> Bool {
    guard let view = views[id], case .query(let query) = view.subject,
      case .reading(let reading) = view.content
    else { return true }
    if let reader = reading.reader { return jobs.readWindow(reader, of: id) }
    do throws(ServiceError) {
      let reader = try WindowReader(
        query,
        in: view.database,
        at: now,
        shown: reading.shown.map { Set($0.map(\.path)) },
        slice: configuration.readSlice
      )
      reading.reader = reader
      return jobs.readWindow(reader, of: id)
    } catch {
      end(view, error)
      return true
    }
  }

  /// A part of the first read of a target is done.
  func take(_ result: Result<ReadPart, ServiceError>, of id: OpeningID) {
    jobs.noteResult()
    guard let target = openings[id], case .opening(let opening) = target.phase,
      !target.view.database.isRetired
    else { return }
    switch result {
    case .success(let part): take(part, opening, of: target)
    case .failure(let error):
      // The client took longer than the store remembers.
      if opening.hasBegun, error.code == .invalidArgument { return lose(target) }
      if error.isVerdict { remove(target, cause: error) } else { fail(target.stream, error) }
    }
  }

  func take(_ part: ReadPart, _ opening: Opening, of target: Target) {
    let stream = target.stream
    opening.readerBytes = part.heldBytes
    guard !stream.isHeld else {
      opening.stage = .held(part)
      if !stream.count(opening) { giveUp(opening, of: target) }
      return
    }
    let fits = stream.count(opening)
    announce(opening, of: target, part)
    // The names that a difference takes find no room: everything takes none.
    if !fits, part.heldBytes > 0 { return lose(target) }
    let point = point(of: target.view.database, for: .nobody)
    if let names = part.names { opening.names = names }
    for item in opening.unchanged(part, tellsMissing: target.view.subject.tellsMissing) {
      if !item.isResult { opening.names?.insert(item.document.name) }
      let members = item.isResult ? [target.id] : []
      let removed = item.isResult ? [] : [target.id]
      stream.announcements.append(.document(item.document, members, removed, point))
    }
    if let count = part.count { opening.count = count }
    touch(stream)
    guard part.isDone else {
      opening.stage = .reading
      if let reader = opening.reader, !jobs.read(reader, for: opening.id) {
        fail(stream, ServiceError(.resourceExhausted, "The server is overloaded."))
      }
      return
    }
    finishReading(opening, of: target)
  }

  /// A part that must wait has no memory reserved: a started part restarts when the client reads,
  /// and a waiting one asks again.
  private func giveUp(_ opening: Opening, of target: Target) {
    guard !opening.isAnnounced else { return lose(target) }
    fail(target.stream, ServiceError(.resourceExhausted, "The server is overloaded."))
  }

  private func announce(_ opening: Opening, of target: Target, _ part: ReadPart) {
    guard !opening.hasBegun else { return }
    opening.hasBegun = true
    let stream = target.stream
    stream.noteUnfinished(target)
    if !opening.isAnnounced {
      opening.isAnnounced = true
      stream.announcements.append(.added(target.id))
    }
    if part.resets { stream.announcements.append(.reset(target.id)) }
    if opening.resumption != nil {
      if part.resets { counters.unusableTokens += 1 } else { counters.resumptions += 1 }
    }
  }

  private func finishReading(_ opening: Opening, of target: Target) {
    let stream = target.stream
    for change in opening.changes.settled(tellsMissing: target.view.subject.tellsMissing) {
      opening.names?.insert(change.document.name)
      stream.changes.append((change, target))
    }
    if let count = opening.count {
      let count = count + opening.countDelta
      stream.completions.append(.filter(target.id, count: count, names: opening.names))
    }
    let point = point(of: target.view.database, for: .marks([target.view.mark]))
    stream.completions.append(.current(target.id, point))
    if target.once { stream.endings.append(target.id) }
    openings[opening.id] = nil
    target.phase = .current
    stream.noteFinished(target)
    stream.isChanged = true
    touch(stream)
  }

  /// Takes in the initial content of a limited view, or a slice of it.
  func take(_ result: Result<WindowContent?, ServiceError>, of id: ViewID) {
    jobs.noteResult()
    guard let view = views[id], !view.database.isRetired else { return }
    switch result {
    case .failure(let error): end(view, error)
    case .success(nil): jobs.addUrgent(.window(id))
    case .success(let content?):
      guard case .reading(let reading) = view.content else { return }
      reading.reader = nil
      guard view.fill(content, hub: self) else { return jobs.addUrgent(.window(id)) }
      release(reading)
      let waiting = view.waitingOpenings
      view.waitingOpenings = []
      for id in waiting where openings[id] != nil { jobs.addUrgent(.opening(id)) }
    }
  }

  /// A view cannot be read: its targets end, or their streams.
  private func end(_ view: View, _ error: ServiceError) {
    for target in view.targets {
      if error.isVerdict { remove(target, cause: error) } else { fail(target.stream, error) }
    }
  }
}
