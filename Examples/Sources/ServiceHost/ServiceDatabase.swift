import Foundation
import GRDB

/// Opens the SQLite file of a service, so that what was answered survives a power cut.
package enum ServiceDatabase {
  /// - Parameter file: nil for a database in memory, which tests use.
  package static func open(at file: URL?, migrations: DatabaseMigrator) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    let queue =
      if let file {
        try DatabaseQueue(path: file.path, configuration: configuration)
      } else {
        try DatabaseQueue(configuration: configuration)
      }
    try migrations.migrate(queue)
    return queue
  }
}
