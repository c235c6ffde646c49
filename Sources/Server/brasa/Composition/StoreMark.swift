import Foundation
import KeyValuePostgres
import KeyValueStore

/// The file `store-location` of a data directory whose store is elsewhere: one line, the address without password
/// and settings.
///
/// It keeps a command without the store's address from creating an empty one in the directory, and
/// a server from ignoring the directory's own store.
struct StoreMark {
  private let directory: String

  init(in directory: String) { self.directory = directory }

  /// Refuses a location that is not the one which the directory is for.
  func check(_ location: StoreLocation) throws {
    switch location {
    case .directory:
      guard let line = try? String(contentsOfFile: path, encoding: .utf8) else { return }
      throw KeyValueError(
        .foreign,
        """
        the store of \(directory) is at \(line.trimmingCharacters(in: .newlines)). Name it with --store, or set \
        BRASA_STORE
        """
      )
    case .postgres:
      guard FileManager.default.fileExists(atPath: directory + "/store/FORMAT") else { return }
      throw KeyValueError(
        .foreign,
        "\(directory) contains its own store, which --store would ignore. Choose another directory"
      )
    }
  }

  /// Notes where the directory's store is.
  func write(_ configuration: PostgresConfiguration) throws {
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try Data((configuration.shownAddress + "\n").utf8)
      .write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// The store is in the directory again.
  func remove() throws { try FileManager.default.removeItem(atPath: path) }

  private var path: String { directory + "/store-location" }
}
