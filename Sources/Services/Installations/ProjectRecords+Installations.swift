import KeyValueStore

extension ProjectRecords {
  /// The secret by which apps' installations go on being known; nothing is kept of the installations themselves.
  package static let installations = ProjectRecords(
    of: .installations,
    shared: [KeyOwner.installations.range]
  ) { _, _, _ in }
}
