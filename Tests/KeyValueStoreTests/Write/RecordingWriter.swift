import KeyValueStore
import Synchronization

/// A writer that notes what was in its groups, keeps nothing, and fails when told to.
final class RecordingWriter: GroupWriter {
  private struct State {
    var groups: [[String]] = []
    var landed = 0
    var abandoned = 0
    var refusesGroups = false
    var failingGroup: Int?
  }

  private let state = Mutex(State())

  /// The notes of each group, the first one first.
  var groups: [[String]] { state.withLock { $0.groups } }
  var landed: Int { state.withLock { $0.landed } }
  var abandoned: Int { state.withLock { $0.abandoned } }

  func refuseGroups(_ refuses: Bool) { state.withLock { $0.refusesGroups = refuses } }

  /// Lets the landing of a group fail, counted from 0.
  func failLanding(ofGroup number: Int) { state.withLock { $0.failingGroup = number } }

  /// Called in a body.
  func note(_ name: String) {
    state.withLock { $0.groups[$0.groups.count - 1].append(name) }
  }

  func beginGroup() throws -> BareGroup {
    try state.withLock { state in
      guard !state.refusesGroups else { throw KeyValueError(.stopped, "no groups") }
      state.groups.append([])
      return BareGroup()
    }
  }

  func land(_ group: BareGroup) throws {
    try state.withLock { state in
      guard state.failingGroup != state.groups.count - 1 else {
        throw KeyValueError(.inputOutput, "the sync failed")
      }
      state.landed += 1
    }
  }

  func abandon(_ group: BareGroup) { state.withLock { $0.abandoned += 1 } }
}

/// A group that counts its bytes and has no memory of them.
final class BareGroup: SharedGroup {
  private var savepoints: [Int] = []
  private(set) var byteCount = 0

  var savepointCount: Int { savepoints.count }
  var savepointFloor = 0

  func put(_ key: [UInt8], _ value: [UInt8]) { byteCount += key.count + value.count }
  func delete(_ key: [UInt8]) { byteCount += key.count }
  func setSavepoint() { savepoints.append(byteCount) }
  func rollbackToSavepoint() throws { byteCount = try popSavepoint() }
  func releaseSavepoint() throws { _ = try popSavepoint() }

  func allocateVersion() throws -> Int64 { throw Self.unsupported }
  func get(_ key: [UInt8]) throws -> [UInt8]? { throw Self.unsupported }
  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    throw Self.unsupported
  }

  private static let unsupported = KeyValueError(.unsupported, "the group keeps nothing")

  private func popSavepoint() throws -> Int {
    guard savepoints.count > savepointFloor else { throw KeyValueError.noSavepoint }
    return savepoints.removeLast()
  }
}
