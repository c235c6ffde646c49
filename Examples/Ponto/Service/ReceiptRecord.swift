import Foundation
import GRDB

/// A receipt as stored.
///
/// `arrival` numbers the receipts in the order of their first arrival.
struct ReceiptRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "receipt"

  var id: String
  var arrival: Int64
  /// `dd/MM/yyyy HH:mm`, as it came.
  var date: String
  var latitude: String?
  var longitude: String?

  static var migrations: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE receipt (
            id TEXT PRIMARY KEY, arrival INTEGER NOT NULL UNIQUE, date TEXT NOT NULL,
            latitude TEXT, longitude TEXT);
          """
      )
    }
    return migrator
  }
}

/// A receipt as answered.
struct ReceiptReply: Encodable {
  struct Location: Encodable {
    let latitude: String
    let longitude: String
  }

  let record: ReceiptRecord

  private enum Key: String, CodingKey {
    case id, status, data, localizacao
  }

  init(_ record: ReceiptRecord) {
    self.record = record
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(record.id, forKey: .id)
    try object.encode(true, forKey: .status)
    try object.encode(record.date, forKey: .data)
    guard let latitude = record.latitude, let longitude = record.longitude else {
      return try object.encodeNil(forKey: .localizacao)
    }
    try object.encode(
      Location(latitude: latitude, longitude: longitude),
      forKey: .localizacao
    )
  }
}
