import BaseText
import KeyValueStore

// The stored data of installations, for sticky conditions and for experiments. All of it blocks.

extension ConfigTemplates {
  /// Characters of an installation's id of which something is kept.
  private static let installationLength = 64
  /// Records that one step of the maintenance deletes.
  private static let forgottenAtOnce = 4_096

  /// The installation of a client with kept decisions of a template.
  ///
  /// Nil if there are none, and for a client that only names one: an experiment counts no invented
  /// installation.
  func assignedInstallation(_ client: ConfigClient, by served: ServedTemplate) -> String? {
    guard served.compiled.keepsAssignments, let id = client.provedInstallation, !id.isEmpty,
      id.utf8.count <= Self.installationLength
    else { return nil }
    return id
  }

  /// Returns the stored decisions about an installation.
  func assignment(of installation: String, _ id: TemplateID) throws -> ConfigAssignment {
    try reading { reader in
      try reader.get(TemplateKey.assignment(id, installation))
        .map { try ConfigAssignment(decoding: $0) } ?? ConfigAssignment()
    }
  }

  /// Stores the decisions about an installation; returns when they are durable.
  ///
  /// If the template stores too many decisions already, those about other installations are
  /// computed each time.
  func keep(
    _ decided: ConfigAssignment,
    of installation: String,
    by served: ServedTemplate
  ) throws {
    let key = TemplateKey.assignment(served.id, installation)
    let now = clock.now()
    try writing { group -> Void in
      var counts = try Self.counts(served.id, group)
      let stored = try group.get(key)
      if stored == nil {
        guard counts.installations < assignmentLimit else { return }
        counts.installations += 1
      }
      var assignment =
        try stored.map { try ConfigAssignment(decoding: $0) } ?? ConfigAssignment()
      for experiment in assignment.add(decided, at: now) {
        guard let choice = decided.variants[experiment] else { continue }
        counts.add(choice, to: experiment)
      }
      assignment.prune(to: served.compiled)
      let shapes = served.compiled.experimentShapes
      counts.experiments = counts.experiments.filter { shapes[$0.key] != nil }
      try group.put(key, assignment.encoded)
      try group.put(TemplateKey.assignmentCounts(served.id), counts.encoded)
    }
  }

  /// Deletes the decisions of all templates of a project about an installation, as if it had never
  /// fetched; returns when that is durable.
  package func forget(installation: String, of project: Text) throws {
    guard !installation.isEmpty, installation.utf8.count <= Self.installationLength else { return }
    for id in try reading({ try TemplateRecords.assigned($0) }) where id.project == project {
      let key = TemplateKey.assignment(id, installation)
      try writing { group -> Void in
        guard let stored = try group.get(key) else { return }
        var counts = try Self.counts(id, group)
        counts.remove(try ConfigAssignment(decoding: stored))
        try group.delete(key)
        try Self.put(counts, of: id, in: group)
      }
    }
  }

  /// Writes a template's counts; counts of zero have no record.
  private static func put(
    _ counts: AssignmentCounts,
    of id: TemplateID,
    in group: any KeyValueGroup
  ) throws {
    let key = TemplateKey.assignmentCounts(id)
    if counts.installations > 0 {
      try group.put(key, counts.encoded)
    } else {
      try group.delete(key)
    }
  }

  static func counts(
    _ id: TemplateID,
    _ reader: any KeyValueReader
  ) throws -> AssignmentCounts {
    try reader.get(TemplateKey.assignmentCounts(id))
      .map { try AssignmentCounts(decoding: $0) } ?? AssignmentCounts()
  }

  /// Deletes some of the stored data of templates that no longer keep any; false if there is
  /// nothing to do.
  package func forgetAssignments() throws -> Bool {
    guard let id = nextWithoutAssignments() else { return false }
    if let served = try load(id), served.compiled.keepsAssignments { return false }
    guard try reading({ try Self.counts(id, $0).installations }) > 0 else { return false }
    let keys = try reading { reader -> [[UInt8]] in
      let range = KeyRange(prefix: TemplateKey.prefix(.assignment, id))
      let cursor = try reader.cursor(over: range, reversed: false)
      var keys: [[UInt8]] = []
      while keys.count < Self.forgottenAtOnce, try cursor.next() { keys.append(Array(cursor.key)) }
      return keys
    }
    try writing { group -> Void in
      var counts = try Self.counts(id, group)
      counts.installations -= Int64(keys.count)
      for key in keys { try group.delete(key) }
      try Self.put(counts, of: id, in: group)
    }
    if keys.count == Self.forgottenAtOnce { noteWithoutAssignments(id) }
    return true
  }
}
