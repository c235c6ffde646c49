import BaseStatus
import KeyValueStore

extension EventBus: CodebaseTriggers {
  /// Replaces everything that a codebase has registered, in one atomic write with the caller's.
  @discardableResult
  package func replaceTriggers(
    of codebase: CodebaseName,
    with declaration: CodebaseDeclaration,
    alongside: @escaping @Sendable (any KeyValueGroup) throws -> Void
  ) throws -> TriggerChanges {
    let wanted = try Self.causes(of: declaration, codebase)
    return try replace(codebase.project, codebase.codebase, wanted.map { ($0, $1, nil) }) {
      try alongside($0)
    }
  }

  /// Removes everything that a codebase has registered, in one atomic write with the caller's.
  package func removeTriggers(
    of codebase: CodebaseName,
    alongside: @escaping @Sendable (any KeyValueGroup) throws -> Void
  ) throws {
    _ = try replace(codebase.project, codebase.codebase, []) { try alongside($0) }
  }

  /// The differences that `replaceTriggers` would make.
  package func plannedChanges(
    of codebase: CodebaseName,
    with declaration: CodebaseDeclaration
  ) throws -> TriggerChanges {
    let wanted = try Self.causes(of: declaration, codebase)
    let stored = try engine.read { try Self.stored(codebase.project, codebase.codebase, in: $0) }
    return TriggerReplacement(stored, wanted.map { ($0, $1, nil) }).changes
  }

  /// The declaration that is in force.
  package func declaration(of codebase: CodebaseName) throws -> CodebaseDeclaration {
    var declaration = CodebaseDeclaration()
    let stored = try engine.read { try Self.stored(codebase.project, codebase.codebase, in: $0) }
    for trigger in stored {
      switch trigger.cause {
      case .event(let declared): declaration.triggers.append(declared)
      case .schedule(let declared): declaration.schedules.append(declared)
      case .queue(let declared): declaration.queues.append(declared)
      }
    }
    return declaration
  }

  /// Registers a subscription of an address, in the place of one of that name.
  ///
  /// Throws INVALID_ARGUMENT for a declaration that cannot be served or a URL that may not be asked.
  package func subscribe(
    _ declared: TriggerDeclaration,
    project: String,
    target: URLTarget
  ) throws {
    try Self.check(declared.function)
    try configuration.posting.check(target.url)
    try Self.check(declared, project)
    let others = try engine.read { try Self.stored(project, "", in: $0) }
      .filter { $0.name != declared.function }
      .map { ($0.name, $0.cause, $0.target) }
    _ = try replace(project, "", others + [(declared.function, .event(declared), target)]) { _ in }
  }

  /// Removes a subscription with its pending events; false where there is none of that name.
  package func unsubscribe(_ name: String, project: String) throws -> Bool {
    let all = try engine.read { try Self.stored(project, "", in: $0) }
    let others = all.filter { $0.name != name }
    guard others.count < all.count else { return false }
    _ = try replace(project, "", others.map { ($0.name, $0.cause, $0.target) }) { _ in }
    return true
  }

  /// The triggers of a project, by codebase and name.
  package func triggers(of project: String) throws -> [StoredTrigger] {
    try engine.read { reader in
      let cursor = try reader.cursor(over: EventKey(.trigger).text(project).range, reversed: false)
      return try Self.triggers(under: cursor)
    }
  }

  private func replace(
    _ project: String,
    _ codebase: String,
    _ wanted: [(name: String, cause: StoredTrigger.Cause, target: URLTarget?)],
    alongside: (any KeyValueGroup) throws -> Void
  ) throws -> TriggerChanges {
    let now = now
    let (changes, index) = try engine.write { group in
      let stored = try Self.stored(project, codebase, in: group)
      let replacement = TriggerReplacement(stored, wanted)
      for old in replacement.gone {
        try group.delete(old.key)
        try group.putMarker(EventKey(.erased).number(old.number).bytes)
      }
      for (name, cause, target, number) in replacement.kept {
        let known = stored.first { $0.number == number }
        let trigger = StoredTrigger(
          number: try number ?? Self.nextNumber(in: group),
          project: project,
          codebase: codebase.isEmpty ? nil : codebase,
          name: name,
          cause: cause,
          target: target,
          registered: known?.registered ?? now
        )
        try group.put(trigger.key, trigger.encoded())
        if trigger.role == "schedule", known?.cause != cause {
          try group.put(EventKey(.fired).number(trigger.number).bytes, EventKey.encoded(now))
        }
      }
      try alongside(group)
      let cursor = try group.cursor(over: EventKey(.trigger).range, reversed: false)
      let triggers = try Self.triggers(under: cursor).compactMap { try? Trigger($0) }
      return (replacement.changes, TriggerIndex(triggers))
    } settled: { result in
      if case .success((_, let index)) = result { replaceTriggers(index) }
    }
    _ = index
    return changes
  }

  private static func nextNumber(in group: any KeyValueGroup) throws -> Int64 {
    let key = EventKey(.number).bytes
    let number = try group.get(key).map { try EventKey.decoded($0) } ?? 0
    try group.put(key, EventKey.encoded(number + 1))
    return number + 1
  }

  private static func stored(
    _ project: String,
    _ codebase: String,
    in reader: any KeyValueReader
  ) throws -> [StoredTrigger] {
    let range = EventKey(.trigger).text(project).text(codebase).range
    return try triggers(under: reader.cursor(over: range, reversed: false))
  }

  private static func triggers(under cursor: any KeyValueCursor) throws -> [StoredTrigger] {
    var triggers: [StoredTrigger] = []
    while try cursor.next() {
      triggers.append(try StoredTrigger(decoding: Array(cursor.value)))
    }
    return triggers
  }

  private static func causes(
    of declaration: CodebaseDeclaration,
    _ codebase: CodebaseName
  ) throws -> [(String, StoredTrigger.Cause)] {
    try check(codebase.codebase)
    var causes: [(String, StoredTrigger.Cause)] = []
    for declared in declaration.triggers {
      try check(declared, codebase.project)
      causes.append((declared.function, .event(declared)))
    }
    for declared in declaration.schedules {
      _ = try Schedule(declared)
      causes.append((declared.function, .schedule(declared)))
    }
    causes += declaration.queues.map { ($0.function, .queue($0)) }
    var seen: Set<String> = []
    for (name, _) in causes {
      try check(name)
      guard seen.insert(name).inserted else {
        throw ServiceError(.invalidArgument, "The function \(name) is declared twice.")
      }
    }
    return causes
  }

  private static func check(_ declared: TriggerDeclaration, _ project: String) throws {
    let source = try EventSource(declared, project: project)
    if source.family == .documents, PathPattern(source.pattern) == nil {
      throw EventSource.refusal(declared, "\(source.pattern) is not a pattern of document paths")
    }
  }

  private static func check(_ name: String) throws {
    let isPlain = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    guard isPlain, (1...128).contains(name.utf8.count) else {
      throw ServiceError(
        .invalidArgument,
        "The name \(name.prefix(40)) is not valid. Use 1 to 128 letters, digits, hyphens or underscores."
      )
    }
  }
}

/// The changes to a codebase's triggers.
private struct TriggerReplacement {
  var changes = TriggerChanges()
  var gone: [StoredTrigger] = []
  var kept: [(name: String, cause: StoredTrigger.Cause, target: URLTarget?, number: Int64?)] = []

  init(
    _ stored: [StoredTrigger],
    _ wanted: [(name: String, cause: StoredTrigger.Cause, target: URLTarget?)]
  ) {
    let known = Dictionary(stored.map { ($0.name, $0) }) { first, _ in first }
    for (name, cause, target) in wanted.sorted(by: { $0.name < $1.name }) {
      guard let old = known[name] else {
        changes.created.append(name)
        kept.append((name, cause, target, nil))
        continue
      }
      if old.cause != cause || old.target != target { changes.updated.append(name) }
      let goesOn = old.cause.isSameKind(as: cause)
      if !goesOn { gone.append(old) }
      kept.append((name, cause, target, goesOn ? old.number : nil))
    }
    let names = Set(wanted.map(\.name))
    let removed = stored.filter { !names.contains($0.name) }
    gone += removed
    changes.deleted = removed.map(\.name).sorted()
  }
}

extension StoredTrigger.Cause {
  fileprivate func isSameKind(as other: Self) -> Bool {
    switch (self, other) {
    case (.event(let left), .event(let right)): left.eventType == right.eventType
    case (.schedule, .schedule), (.queue, .queue): true
    default: false
    }
  }
}
