import BaseRuntime
import BaseStatus
import BaseText
import KeyValueStore
import Synchronization

/// The templates of all projects: kept in versions, compiled in memory, evaluated for clients.
///
/// A template is durable before it is served, and served before any client is notified. Memory
/// follows the order of the writes. Any thread may call; `served` waits for nothing but a short
/// lock, what may touch the disk says so.
package final class ConfigTemplates: Sendable {
  /// A template as far as memory has it.
  private struct Slot {
    var head: TemplateHead
    var served: ServedTemplate?
    /// When it was last asked for, in steps of `State.uses`.
    var lastUse = 0
  }

  private struct State {
    var slots: [TemplateID: Slot] = [:]
    var uses = 0
    var loaded = 0
    var fetches = 0
    var unchanged = 0
    /// Templates that may have assignments of which they need none.
    var withoutAssignments: Set<TemplateID> = []
  }

  let engine: any KeyValueEngine
  let clock: MicrosecondClock
  /// Those who wait for new versions.
  package let streams: InvalidationStreams
  /// Says in which audiences an installation is.
  package let audiences: (any ConfigAudiences)?
  /// Says what installations did.
  let goals: (any ConfigGoals)?
  let versionLimit: Int
  /// Installations of which a template keeps what was decided.
  let assignmentLimit: Int64
  private let state: Mutex<State>
  let follower = Mutex<TemplateFollower?>(nil)

  /// Templates that are compiled in memory at the same time.
  private static let loadedLimit = 256

  /// Opens the templates of an engine; reads the disk.
  package init(
    engine: any KeyValueEngine,
    clock: MicrosecondClock = .system,
    streams: InvalidationStreams = InvalidationStreams(),
    audiences: (any ConfigAudiences)? = nil,
    goals: (any ConfigGoals)? = nil,
    versionLimit: Int = TemplateLimits.versions,
    assignmentLimit: Int64 = TemplateLimits.assignments
  ) throws {
    self.engine = engine
    self.clock = clock
    self.streams = streams
    self.audiences = audiences
    self.goals = goals
    self.versionLimit = versionLimit
    self.assignmentLimit = assignmentLimit
    var state = State()
    for (id, head) in try engine.read({ try TemplateRecords.heads($0) }) {
      state.slots[id] = Slot(head: head)
    }
    state.withoutAssignments = Set(try engine.read { try TemplateRecords.assigned($0) })
    self.state = Mutex(state)
    try engine.observeOthers(in: [KeyRange(prefix: TemplateKey.prefix(.head))]) {
      [weak self] writes, reader in
      try self?.othersWrote(writes, reader)
    }
  }

  /// Follows the heads of templates that other engines publish, and notifies waiting clients.
  private func othersWrote(_ writes: OtherWrites, _ reader: any KeyValueReader) throws {
    let heads: [(TemplateID, TemplateHead)]
    switch writes {
    case .unknown: heads = try TemplateRecords.heads(reader)
    case .groups(let groups):
      let ids = Set(
        groups.flatMap(\.keys).compactMap { $0.withUnsafeBytes { TemplateKey.parse($0)?.0 } }
      )
      heads = try ids.map { ($0, try TemplateRecords.head($0, reader)) }
    }
    for (id, head) in heads {
      let isNews = state.withLock { state in
        guard state.slots[id]?.head.served != head.served else { return false }
        if state.slots[id]?.served != nil { state.loaded -= 1 }
        state.slots[id] = Slot(head: head, lastUse: state.uses)
        // It may keep nothing of installations any more, which the node looks into that leads.
        state.withoutAssignments.insert(id)
        return true
      }
      if isNews { streams.wake(id) }
    }
  }

  /// A template in memory.
  package enum Lookup: Sendable {
    case found(ServedTemplate)
    /// No template has been published.
    case nothing
    /// `load` has to read it.
    case onDisk
  }

  /// The template that is served, from memory alone.
  package func lookUp(_ id: TemplateID) -> Lookup {
    state.withLock { state in
      guard state.slots[id] != nil else { return .nothing }
      state.uses += 1
      state.slots[id]?.lastUse = state.uses
      return state.slots[id]?.served.map(Lookup.found) ?? .onDisk
    }
  }

  /// Returns true if a template has been published in the project.
  package func knows(_ project: Text) -> Bool {
    state.withLock { state in
      ConfigNamespace.allCases.contains {
        state.slots[TemplateID(project: project, namespace: $0)] != nil
      }
    }
  }

  /// The served template; nil before the first publication.
  ///
  /// May read the disk.
  package func load(_ id: TemplateID) throws -> ServedTemplate? {
    switch lookUp(id) {
    case .found(let served): return served
    case .nothing: return nil
    case .onDisk: break
    }
    let read = try reading { reader -> ServedTemplate? in
      let head = try TemplateRecords.head(id, reader)
      guard let version = try TemplateRecords.version(id, head.current, reader),
        let template = try TemplateRecords.body(id, head.current, reader)
      else { throw KeyValueError(.corruption, "a template's version is missing") }
      return ServedTemplate(
        template,
        version,
        of: id,
        served: head.served,
        compiled: try CompiledTemplate(template, for: id.namespace)
      )
    }
    if let read { keep(read) }
    return read
  }

  /// Stores the data that was read, unless newer data arrived in the meantime.
  private func keep(_ served: ServedTemplate) {
    state.withLock { state in
      guard let slot = state.slots[served.id], slot.served == nil, slot.head.served == served.served
      else { return }
      state.slots[served.id]?.served = served
      state.loaded += 1
      Self.makeRoom(&state)
    }
  }

  private static func makeRoom(_ state: inout State) {
    guard state.loaded > loadedLimit else { return }
    let loaded = state.slots.filter { $0.value.served != nil }
    if let oldest = loaded.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
      state.slots[oldest]?.served = nil
      state.loaded -= 1
    }
  }

  /// Serves a template that has become durable and notifies waiting clients; runs in the order of
  /// the writes.
  func serve(_ served: ServedTemplate, _ head: TemplateHead) {
    state.withLock { state in
      let known = state.slots[served.id]
      if known?.served == nil { state.loaded += 1 }
      state.slots[served.id] = Slot(head: head, served: served, lastUse: state.uses)
      if !served.compiled.keepsAssignments { state.withoutAssignments.insert(served.id) }
      Self.makeRoom(&state)
    }
    streams.wake(served.id)
  }

  // MARK: Clients

  /// A template that may need no stored data any more; each is reported once.
  func nextWithoutAssignments() -> TemplateID? {
    state.withLock { $0.withoutAssignments.popFirst() }
  }

  /// Lets a template be reported again.
  func noteWithoutAssignments(_ id: TemplateID) {
    state.withLock { _ = $0.withoutAssignments.insert(id) }
  }

  /// Returns true if clients' values depend on the audiences that they are in; nil where the disk
  /// has to be read for that.
  package func asksForAudiencesInMemory(_ id: TemplateID) -> Bool? {
    switch lookUp(id) {
    case .nothing: false
    case .onDisk: nil
    case .found(let served): served.compiled.asksForAudiences
    }
  }

  /// The same, which may read the disk.
  package func asksForAudiences(_ id: TemplateID) throws -> Bool {
    try load(id)?.compiled.asksForAudiences ?? false
  }

  /// Returns a client's values, from memory alone; nil where the disk has to be read first, for the
  /// template or for the client's stored decisions.
  package func replyInMemory(to client: ConfigClient, of id: TemplateID) -> ConfigReply? {
    switch lookUp(id) {
    case .nothing: return .nothing(for: id)
    case .onDisk: return nil
    case .found(let served):
      let asks = served.compiled.asksForAudiences && audiences != nil
      guard !asks, assignedInstallation(client, by: served) == nil else { return nil }
      return served.reply(for: served.compiled.decide(client, audiences: nil, at: clock.now()))
    }
  }

  /// The same, which may read the disk, and stores the decisions about the installation for good.
  package func reply(to client: ConfigClient, of id: TemplateID) throws -> ConfigReply {
    guard let served = try load(id) else { return .nothing(for: id) }
    let (decision, assigned) = try decide(client, by: served, at: clock.now())
    let reply = served.reply(for: decision)
    if let installation = assignedInstallation(client, by: served) {
      var decided = reply.assignment
      decided.keepChoices(of: assigned, in: served.compiled.stickyExperiments)
      if !assigned.holds(decided) { try keep(decided, of: installation, by: served) }
    }
    return reply
  }

  private func decide(
    _ client: ConfigClient,
    by served: ServedTemplate,
    at time: Int64
  ) throws -> (CompiledTemplate.Decision, assigned: ConfigAssignment) {
    let held = served.compiled.asksForAudiences ? try audienceNames(of: client, served.id) : nil
    let assigned =
      try assignedInstallation(client, by: served).map { try assignment(of: $0, served.id) }
      ?? ConfigAssignment()
    let decision = served.compiled.decide(client, audiences: held, assigned: assigned, at: time)
    return (decision, assigned)
  }

  /// The audiences of a client; nil if they are unknown, or if the client only names an
  /// installation.
  private func audienceNames(of client: ConfigClient, _ id: TemplateID) throws -> Set<String>? {
    try client.provedInstallation.flatMap {
      try audiences?.audiences(ofInstallation: $0, project: id.project)
    }
  }

  /// Returns a client's values and the reasons for them; nil where no template has been published.
  ///
  /// May read the disk.
  package func evaluate(
    _ client: ConfigClient,
    by id: TemplateID,
    at time: Int64? = nil
  ) throws -> ConfigEvaluation? {
    guard let served = try load(id) else { return nil }
    return ConfigEvaluation(served, try decide(client, by: served, at: time ?? clock.now()).0)
  }

  /// The number under which clients are served a template; 0 before the first publication.
  package func servedNumber(of id: TemplateID) -> Int64 {
    state.withLock { $0.slots[id]?.head.served ?? 0 }
  }

  /// Counts a fetch for the metrics.
  package func noteFetch(isUnchanged: Bool) {
    state.withLock { state in
      state.fetches += 1
      if isUnchanged { state.unchanged += 1 }
    }
  }

  /// Figures for the metrics page.
  package var metrics: [(name: String, value: Double)] {
    let (open, sent) = streams.counts
    return state.withLock { state in
      [
        ("config_templates", Double(state.slots.count)),
        ("config_templates_loaded", Double(state.loaded)),
        ("config_fetches_total", Double(state.fetches)),
        ("config_fetches_unchanged_total", Double(state.unchanged)),
        ("config_streams", Double(open)), ("config_invalidations_total", Double(sent)),
      ]
    }
  }

  // MARK: Time

  /// True if a condition of some template has changed by itself and `announceChanges` is to be
  /// called.
  package var isChangeDue: Bool {
    let now = clock.now()
    return state.withLock { state in
      state.slots.values.contains { $0.head.isDue(at: now) }
    }
  }

  /// Gives templates with a condition that has changed with time a new number, and notifies their
  /// clients.
  ///
  /// Blocks.
  package func announceChanges() throws {
    let now = clock.now()
    let due = state.withLock { state in
      state.slots.filter { $0.value.head.isDue(at: now) }.map(\.key)
    }
    for id in due {
      guard let served = try load(id) else { continue }
      try renumber(served, at: now)
    }
  }

  private func renumber(_ served: ServedTemplate, at now: Int64) throws {
    let next = served.compiled.nextChange(after: now) ?? 0
    try writing { group -> (ServedTemplate, TemplateHead)? in
      var head = try TemplateRecords.head(served.id, group)
      // A version that was published in the meantime has checked the time itself.
      guard head.current == served.version.number, head.isDue(at: now) else { return nil }
      head.served += 1
      head.nextChange = next
      try group.put(TemplateKey.head(served.id), head.encoded)
      return (served.renumbered(head.served), head)
    } settled: { [self] changed in
      if let (served, head) = changed { serve(served, head) }
    }
  }

  // MARK: The engine

  func reading<R>(_ body: (any KeyValueReader) throws -> R) throws -> R {
    do {
      return try engine.read { try body($0) }
    } catch {
      throw ServiceError.config(error)
    }
  }

  @discardableResult
  func writing<R>(
    _ body: (any KeyValueGroup) throws -> R,
    settled: (R) -> Void = { _ in }
  ) throws -> R {
    do {
      return try engine.write { group in
        try body(group)
      } settled: { result in
        if case .success(let value) = result { settled(value) }
      }
    } catch {
      throw ServiceError.config(error)
    }
  }
}

/// Knows which audiences an installation is in; analytics does.
package protocol ConfigAudiences: Sendable {
  /// The names of the audiences; nil where the installation is unknown. May read the disk.
  func audiences(ofInstallation id: String, project: Text) throws -> Set<String>?
}

extension ServiceError {
  /// Returns the error for clients when the engine fails; the cause is for the log.
  static func config(_ error: any Error) -> ServiceError {
    if let known = error as? ServiceError { return known }
    if let cause = error as? KeyValueError, cause.code == .corruption {
      return ServiceError(.dataLoss, "Stored data is damaged.", cause: cause)
    }
    return ServiceError(.unavailable, "The service is temporarily unavailable.", cause: error)
  }
}
