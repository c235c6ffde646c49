/// A place that keeps a backup's objects: a directory, or a bucket of a server with the protocol of S3.
///
/// An object has a name with slashes and is written once, whole. Any task may call.
package protocol BackupTarget: Sendable {
  /// The address as an operator wrote it.
  var address: String { get }

  /// The longest pause between two segments while there is something to ship.
  var pause: Duration { get }

  /// Takes the target for this process alone, as far as the target can; throws `BackupError.refused` where another has it.
  func claim() async throws

  /// Gives the target back.
  func release() async

  /// Keeps an object durably; with `replacing` false, one that is there with other bytes is refused.
  func put(_ name: String, _ bytes: [UInt8], replacing: Bool) async throws

  /// The object's bytes; nil where there is none.
  func get(_ name: String) async throws -> [UInt8]?

  /// The objects whose names begin with a prefix that ends with a slash, in the order of their names.
  func list(_ prefix: String) async throws -> [BackupEntry]

  /// Removes an object; one that is not there is no error.
  func remove(_ name: String) async throws
}

/// An object in a list.
package struct BackupEntry: Sendable, Hashable {
  /// The whole name.
  package let name: String
  /// Seconds since 1970 by the target's clock.
  package let modified: Int64

  /// An entry of a list.
  package init(name: String, modified: Int64) {
    self.name = name
    self.modified = modified
  }
}
