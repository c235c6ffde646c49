import Foundation
import GRDB

extension PontoService {
  /// Adds three receipts unless there are any already.
  package func addSampleData() async throws {
    try await database.write { database in
      guard try ReceiptRecord.fetchCount(database) == 0 else { return }
      for (arrival, date) in ["22/10/2021 08:02", "22/10/2021 12:01", "22/10/2021 13:04"]
        .enumerated()
      {
        try ReceiptRecord(
          id: UUID().uuidString.lowercased(),
          arrival: Int64(arrival) + 1,
          date: date,
          latitude: "-23.5881",
          longitude: "-46.6323"
        ).insert(database)
      }
    }
  }
}
