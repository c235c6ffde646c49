import Foundation

/// Bytes on their way between a device and the server, and how far they are.
protocol Transfer: Sendable {
  /// Continues from the end of the last run, until all is there.
  ///
  /// A cancelled run throws and keeps the position; there are never two runs of a transfer at once.
  func run(_ report: @escaping @Sendable (TransferProgress) -> Void) async throws -> TransferOutcome
  /// Removes its data on the server and the disk; nothing runs afterwards.
  func abandon() async
}

/// The number of bytes that arrived, and of all bytes.
struct TransferProgress: Sendable, Hashable {
  var completed: Int64
  var total: Int64
}

/// The outcome of a transfer.
struct TransferOutcome: Sendable {
  var metadata: StorageMetadata?
  var data: Data?
}
