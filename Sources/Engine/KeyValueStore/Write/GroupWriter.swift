/// The requirements of a `WriteQueue` on its engine: groups, one at a time, on the queue's thread.
package protocol GroupWriter: Sendable {
  /// The engine's group of writes.
  associatedtype Group: SharedGroup

  /// True if groups may be written by other threads than the queue's, which would not have to repair
  /// anything first.
  var takesLeaders: Bool { get }

  /// Begins a group; throws where the engine can write none.
  func beginGroup() throws -> Group

  /// Makes the group visible and durable, both or neither, and returns when it is.
  ///
  /// A throw means that nothing of it may be acknowledged; with `KeyValueError.outcomeUnknown` the group
  /// may come into force all the same.
  func land(_ group: Group) throws

  /// Drops a group of which nothing is to be written.
  func abandon(_ group: Group)

  /// The completions of the last group have run, with any result; also if none could be started.
  func settled()
}

extension GroupWriter {
  /// False: the queue's thread writes all groups.
  package var takesLeaders: Bool { false }

  /// Does nothing: most writers have nothing to do between two groups.
  package func settled() {}
}

/// A group that several writes share.
package protocol SharedGroup: KeyValueGroup {
  /// The savepoints that were neither rolled back nor released.
  var savepointCount: Int { get }

  /// So many of them, the first ones, cannot be rolled back to or released: they are not the body's.
  var savepointFloor: Int { get set }
}

extension SharedGroup {
  /// Runs a body; its writes are undone if it throws, with any savepoints that it leaves.
  ///
  /// The result is the body's; this throws where undoing fails, and the group is of no use then.
  func attempt(_ body: (any KeyValueGroup) throws -> Void) throws -> Result<Void, any Error> {
    let depth = savepointCount
    try setSavepoint()
    savepointFloor = depth + 1
    let result = Result { try body(self) }
    savepointFloor = depth
    let isWhole = (try? result.get()) != nil
    while savepointCount > depth {
      if isWhole { try releaseSavepoint() } else { try rollbackToSavepoint() }
    }
    return result
  }
}
