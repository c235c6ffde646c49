import FirestoreModel
import KeyValueStore
import Synchronization

/// One open database's index definitions.
///
/// Invariant: the picture in memory is the durable one, except inside the group that changes it,
/// where it is switched before the group ends. The groups of the commit pipeline never run at the
/// same time, so it maintains every index from its definition on. Any thread may read.
package final class IndexCatalog: Sendable {
  /// The life of the database that the definitions belong to.
  package let incarnation: Incarnation
  private let state: Mutex<IndexSet>

  /// Loads a database's definitions.
  package init(
    incarnation: Incarnation,
    databaseID: DatabaseID,
    reader: any KeyValueReader
  ) throws {
    self.incarnation = incarnation
    state = Mutex(try IndexStorage.load(incarnation, reader))
  }

  /// The definitions at this moment.
  package var current: IndexSet { state.withLock { $0 } }

  /// Switches to other definitions; only for `IndexChange`, inside a group.
  func replace(with set: IndexSet) { state.withLock { $0 = set } }
}
