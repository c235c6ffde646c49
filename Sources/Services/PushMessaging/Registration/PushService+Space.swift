import KeyValueStore

// Room on the disk, and in all, for what clients make without credentials.

extension PushService {
  /// Looks whether the disk keeps its reserve; blocks.
  package func lookAtSpace() throws {
    guard let available = try availableBytes?() else { return }
    isShortOfSpace.store(available < limits.reserveBytes, ordering: .relaxed)
  }

  /// Throws QUOTA_EXCEEDED where the disk has less left than it is to keep for others.
  package func requireSpace() throws(MessagingError) {
    guard isShortOfSpace.load(ordering: .relaxed) else { return }
    throw MessagingError(
      .quotaExceeded,
      "The server has no space for more messages. Try again later."
    )
  }

  /// Changes the number of all registrations, with those that ended and are still kept.
  ///
  /// Called before counted data is written or deleted: a directory that has no number yet is
  /// counted once.
  static func countRegistrations(
    _ change: Int64,
    limit: Int64 = .max,
    _ group: any KeyValueGroup
  ) throws {
    let key = MessagingKey(.total).bytes
    let count = try group.get(key).map { try NumberValue.decode($0) } ?? registrations(in: group)
    guard change < 0 || count < limit else {
      throw MessagingError(.quotaExceeded, "The server has too many registrations.")
    }
    try group.put(key, NumberValue.encode(count + change))
  }

  private static func registrations(in group: any KeyValueGroup) throws -> Int64 {
    let cursor = try group.cursor(over: MessagingKey(.registration).range, reversed: false)
    var count: Int64 = 0
    while try cursor.next() { count += 1 }
    return count
  }
}
