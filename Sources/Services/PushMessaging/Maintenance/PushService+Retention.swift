import FirestoreModel
import KeyValueStore

// Forgetting what is old. A step does a little; it blocks.

extension PushService {
  /// Rows that one step deletes.
  private static let rows = 500

  /// Deletes some of what is older than it is kept; true where there may be more.
  package func pruneStep() throws -> Bool {
    let now = now
    let oldest = now - limits.messageDays * 86_400_000_000
    let work = try reading { reader -> Pruning? in
      for project in try Self.projects(reader) {
        if let found = try Self.oldMessage(of: project, before: oldest, reader) { return found }
      }
      return nil
    }
    guard let work else { return false }
    do {
      try engine.write(.background) { group in
        for key in work.keys { try group.delete(key) }
      }
    } catch {
      throw MessagingError.engine(error)
    }
    return true
  }

  /// What one step deletes.
  private struct Pruning {
    let keys: [[UInt8]]
  }

  private static func projects(_ reader: any KeyValueReader) throws -> [Text] {
    let cursor = try reader.cursor(over: MessagingKey(.message).range, reversed: false)
    var projects: [Text] = []
    var found = try cursor.next()
    while found {
      let (project, _) = try MessagingKey.project(of: cursor.key)
      projects.append(project)
      guard let next = MessagingKey(.message, project).range.upper else { break }
      found = try cursor.seek(next)
    }
    return projects
  }

  /// Keys of a project's oldest message, if it is old and nothing waits of it; the message itself comes last.
  private static func oldMessage(
    of project: Text,
    before oldest: Int64,
    _ reader: any KeyValueReader
  ) throws -> Pruning? {
    let cursor = try reader.cursor(over: MessagingKey(.message, project).range, reversed: false)
    while try cursor.next() {
      let id = try MessagingKey.number(in: cursor.key)
      guard id < oldest else { return nil }
      let message = try StoredMessage(decoding: cursor.value, project: project, id: id)
      let deadline = MessagingKey.timed(.deadline, message.lastDeadline, id)
      guard message.stage == .expanded, try reader.get(deadline) == nil else { continue }
      // Counts go with the first rows, so that they never tell of rows that are there no more.
      var keys = [MessagingKey(.counts, project, id).bytes]
      let prefix = MessagingKey(.delivery, project, id)
      let deliveries = try reader.cursor(over: prefix.range, reversed: false)
      while keys.count < rows, try deliveries.next() { keys.append(Array(deliveries.key)) }
      if keys.count < rows { keys.append(Array(cursor.key)) }
      return Pruning(keys: keys)
    }
    return nil
  }
}
