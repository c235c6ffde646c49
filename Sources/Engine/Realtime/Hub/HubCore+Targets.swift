import BaseStatus
import DocumentStore

// Targets: admitting, opening and ending them.

extension HubCore {
  func add(_ request: TargetRequest, to stream: StreamState) {
    guard let database = stream.database else { return }
    let id = request.id == 0 ? freeID(in: stream) : request.id
    guard stream.targets[id] == nil else {
      let text = "Target id \(id) is already in use on this stream."
      return fail(stream, .invalidArgument(text))
    }
    do throws(ServiceError) {
      guard stream.targets.count < configuration.targetsPerStream else {
        throw ServiceError(.resourceExhausted, "The stream has too many targets.")
      }
      let subject = try ViewSubject(request.subject)
      let known = try stream.authority.decideInMemory(subject, in: database, at: now)
      guard let decision = known else {
        stream.isAdmitting = true
        return beginDecision(of: stream, subject, in: database, for: .admission(request))
      }
      admit(request, id, subject, to: stream, in: database, decision)
    } catch {
      refuse(id, of: stream, error)
    }
  }

  /// Adds a target, or reports why not.
  func admit(
    _ request: TargetRequest,
    _ subject: ViewSubject,
    to stream: StreamState,
    in database: Database,
    _ result: Result<ListenDecision, ServiceError>
  ) {
    let id = request.id == 0 ? freeID(in: stream) : request.id
    switch result {
    case .success(let decision):
      admit(request, id, subject, to: stream, in: database, decision)
    case .failure(let error):
      guard !database.isRetired else { return retry(request, of: stream) }
      refuse(id, of: stream, error)
    }
  }

  /// Requests a target again once the stream's database has been looked up again.
  private func retry(_ request: TargetRequest, of stream: StreamState) {
    stream.waitingRequests.prepend(.add(request))
    stream.answeredAhead += 1
    followDatabase(stream)
  }

  private func refuse(_ id: Int32, of stream: StreamState, _ error: ServiceError) {
    guard error.isVerdict else { return fail(stream, error) }
    stream.announcements.append(.removed(id, cause: error))
    touch(stream)
  }

  private func admit(
    _ request: TargetRequest,
    _ id: Int32,
    _ subject: ViewSubject,
    to stream: StreamState,
    in database: Database,
    _ decision: ListenDecision
  ) {
    let opening = Opening(
      id: OpeningID(number: nextOrdinal()),
      // The earlier contents of these documents are not revealed to a client that may not know them
      // now, not even by the acceptance of its token: the target restarts.
      resumption: decision.dependsOnResults
        ? request.resumption.map { _ in .token([]) } : request.resumption,
      expectedCount: request.expectedCount
    )
    let view = view(of: subject, in: database)
    let target = Target(id: id, of: stream, view: view, once: request.once, opening: opening)
    stream.targets[id] = target
    gauges.targets += 1
    view.add(target)
    set(decision, of: target)
    queue(opening, of: target)
  }

  private func freeID(in stream: StreamState) -> Int32 {
    var id: Int32 = 1
    while stream.targets[id] != nil { id += 1 }
    return id
  }

  private func view(of subject: ViewSubject, in database: Database) -> View {
    let views: DatabaseViews
    if let known = databases[database.incarnation] {
      views = known
    } else {
      views = DatabaseViews(database)
      databases[database.incarnation] = views
    }
    let candidate = View(
      id: ViewID(number: nextOrdinal()),
      subject,
      in: database
    )
    let view = views.insert(candidate)
    if view === candidate {
      self.views[view.id] = view
      if subject.isLimited { jobs.add(.window(view.id)) }
    }
    return view
  }

  private func queue(_ opening: Opening, of target: Target) {
    target.phase = .opening(opening)
    openings[opening.id] = target
    jobs.add(.opening(opening.id))
    // A client may change its mind faster than anybody can read.
    jobs.forget(wanted: openings.count + views.count) { job in
      switch job {
      case .opening(let id): openings[id] != nil
      case .window(let id): views[id] != nil
      case .decision(let id): pendingDecisions[id] != nil
      }
    }
  }

  /// Ends a target: because the client asked, or for a cause.
  func remove(_ target: Target, cause: ServiceError?) {
    let stream = target.stream
    if stream.isChanged, !stream.isHeld { flush(stream) }
    guard stream.targets.removeValue(forKey: target.id) != nil else { return }
    gauges.targets -= 1
    if case .opening(let opening) = target.phase, !opening.isAnnounced, cause == nil {
      stream.announcements.append(.added(target.id))
    }
    detach(target)
    dropChanges(of: target)
    stream.announcements.append(.removed(target.id, cause: cause))
    touch(stream)
  }

  /// Takes a target out of everything but its stream.
  func detach(_ target: Target) {
    if case .opening(let opening) = target.phase { openings[opening.id] = nil }
    target.stream.noteFinished(target)
    let view = target.view
    view.remove(target)
    let views = databases[view.database.incarnation]
    if let documents = target.decision?.documents {
      views?.removeDependent(target, on: documents)
    }
    target.decision = nil
    guard view.targets.isEmpty else { return }
    if case .reading(let reading) = view.content { release(reading) }
    self.views[view.id] = nil
    views?.remove(view)
    if views?.isEmpty == true { databases[view.database.incarnation] = nil }
  }

  private func dropChanges(of target: Target) {
    let stream = target.stream
    stream.changes.removeAll { $0.target === target }
    if let buffer = stream.backlog.removeValue(forKey: target.id) {
      stream.backlogSize -= buffer.size
      gauges.backlogBytes -= buffer.size
      _ = stream.countBacklog()
    }
  }

  // MARK: Losing and beginning anew

  /// Marks the content that the client holds of a target as unknown: the target restarts when the
  /// client reads.
  func lose(_ target: Target) {
    switch target.phase {
    case .lost: return
    case .current: break
    case .opening(let opening): openings[opening.id] = nil
    }
    let isAnnounced =
      if case .opening(let opening) = target.phase { opening.isAnnounced } else { true }
    dropChanges(of: target)
    counters.overflows += 1
    if isAnnounced {
      target.stream.noteUnfinished(target)
      target.phase = .lost
      if !target.stream.isHeld, target.stream.database != nil { goOn(target) }
    } else if case .opening(let opening) = target.phase {
      queue(opening.again(id: OpeningID(number: nextOrdinal())), of: target)
    }
  }

  /// Continues a target as far as possible once its client reads again.
  func goOn(_ target: Target) {
    switch target.phase {
    case .current: return
    case .lost: beginAnew(target, isAnnounced: true)
    case .opening(let opening):
      guard case .held(let part) = opening.stage else { return }
      opening.stage = .reading
      take(part, opening, of: target)
    }
  }

  /// Lets a target continue in another life of its database.
  func move(_ target: Target, to database: Database) {
    let subject = target.view.subject
    let isAnnounced: Bool
    switch target.phase {
    case .opening(let opening): isAnnounced = opening.isAnnounced
    case .current, .lost: isAnnounced = true
    }
    dropChanges(of: target)
    detach(target)
    target.view = view(of: subject, in: database)
    target.view.add(target)
    beginAnew(target, isAnnounced: isAnnounced)
    doubt(target)
  }

  /// The client learns at once that its state is void: no consistency point may come before that.
  private func beginAnew(_ target: Target, isAnnounced: Bool) {
    if isAnnounced {
      target.stream.noteUnfinished(target)
      target.stream.announcements.append(.reset(target.id))
      touch(target.stream)
    }
    let id = OpeningID(number: nextOrdinal())
    queue(Opening(id: id, isAnnounced: isAnnounced), of: target)
  }
}

extension ServiceError {
  /// True if retrying would not help, so that the error ends the target.
  ///
  /// All other errors are temporary; they end the stream, so that the client reconnects.
  var isVerdict: Bool {
    switch code {
    case .invalidArgument, .failedPrecondition, .permissionDenied, .notFound, .unimplemented,
      .resourceExhausted, .outOfRange:
      true
    default: false
    }
  }
}
