import KeyValueStore

extension ProjectRecords {
  /// The secret by which apps' installations stay known; nothing is stored of the installations
  /// themselves.
  package static let installations = ProjectRecords(
    of: .installations,
    shared: [KeyOwner.installations.range]
  ) { _, _, _ in }
}
