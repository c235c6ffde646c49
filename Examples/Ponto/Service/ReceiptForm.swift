import Foundation
import GRDB
import ServiceHost

/// A receipt as sent: `id` is optional but not null, `status` is required and ignored, the
/// coordinates may be texts or numbers.
///
/// The place is under `localizacao`, or under `localização` as people type it; the former counts
/// where both are there. A coordinate is any finite decimal number: the app checks that it is on earth.
struct ReceiptForm: Decodable {
  private struct Location: Decodable {
    let latitude: Coordinate
    let longitude: Coordinate
  }

  private struct Coordinate: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Double.self) {
        text = Int64(exactly: number).map { String($0) } ?? String(number)
      } else {
        text = try value.decode(String.self)
      }
      let decimal = /[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/.asciiOnlyDigits()
      guard text.utf8.count <= 40, text.wholeMatch(of: decimal) != nil,
        let degrees = Double(text), degrees.isFinite
      else {
        throw ServiceError(.badRequest, "Localização inválida")
      }
    }
  }

  private let id: UUID?
  private let date: String
  private let location: Location?

  private enum Key: String, CodingKey {
    case id, status
    case date = "data"
    case location = "localizacao"
    case accentedLocation = "localização"
  }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    id = object.contains(.id) ? try object.decode(UUID.self, forKey: .id) : nil
    _ = try object.decode(Bool.self, forKey: .status)
    date = try object.decode(String.self, forKey: .date)
    location =
      try object.decodeIfPresent(Location.self, forKey: .location)
      ?? object.decodeIfPresent(Location.self, forKey: .accentedLocation)
    guard Self.isDate(date) else {
      throw ServiceError(.badRequest, "A data deve ter a forma dd/MM/aaaa HH:mm")
    }
  }

  /// The row to store; a known id keeps its place in the list.
  func record(in database: Database) throws -> ReceiptRecord {
    let id = (id ?? UUID()).uuidString.lowercased()
    let known = try ReceiptRecord.fetchOne(database, key: id)?.arrival
    let last = try Int64.fetchOne(database, sql: "SELECT max(arrival) FROM receipt") ?? 0
    return ReceiptRecord(
      id: id,
      arrival: known ?? last + 1,
      date: date,
      latitude: location?.latitude.text,
      longitude: location?.longitude.text
    )
  }

  private static func isDate(_ text: String) -> Bool {
    let pattern = /(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d)/.asciiOnlyDigits()
    guard let match = text.wholeMatch(of: pattern)?.output else { return false }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return DateComponents(
      calendar: calendar,
      year: Int(match.3),
      month: Int(match.2),
      day: Int(match.1),
      hour: Int(match.4),
      minute: Int(match.5)
    ).isValidDate
  }
}
