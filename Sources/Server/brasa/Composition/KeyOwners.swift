import AuditTrail
import Authentication
import ConfigTemplates
import Console
import DocumentStore
import Events
import Hosting
import Installations
import KeyValueStore
import ObjectStorage
import PushMessaging

extension KeyOwnerTable {
  /// The owners of the keys in the store of a server: its products and what belongs to all of them.
  ///
  /// The unassigned range: 0xFF. A product takes sixteen first bytes. Analytics has an engine of
  /// its own, whose keys are its own but for those of the formats.
  static let store: KeyOwnerTable = {
    guard
      let table = KeyOwnerTable([
        .engine, .databases, .accounts, .files, .triggers, .config, .hosting, .installations,
        .messages, .nodes, .formats, .jobs, .audit,
      ])
    else { preconditionFailure("two owners of keys overlap") }
    return table
  }()
}
