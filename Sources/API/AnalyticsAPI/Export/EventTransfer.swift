import BaseJSON
import BaseStatus
import BaseText
import EventAnalytics
import ServiceModule

/// Moves a project's events out and in, as rows of BigQuery's export.
package struct EventTransfer {
  private let analytics: EventAnalytics
  private let project: Text

  /// Events that are read from the store at once, about.
  private static let partEvents = 4_096

  /// The events of a project.
  package init(analytics: EventAnalytics, project: Text) {
    self.analytics = analytics
    self.project = project
  }

  /// Hands out every event of the days as an item of its day's file; nil is all days.
  package func export(
    _ range: DayRange?,
    _ item: (StorageItem) throws -> Void
  ) throws -> Int {
    var count = 0
    for day in try analytics.daysWithEvents(of: project) {
      if let range, !(range.first...range.last).contains(day) { continue }
      let file = "events_\(day.compactText)"
      var next: UInt32? = 0
      while let instance = next {
        next = try analytics.export(
          day,
          of: project,
          from: instance,
          atMost: Self.partEvents
        ) { event, isActive in
          let row = event.row(on: day, isActive: isActive).compact
          try item(StorageItem(file: file, bytes: Array(row.utf8)))
          count += 1
        }
      }
    }
    return count
  }

  /// Takes rows and returns their number; an invalid one is passed to `refused`.
  package func importRows(
    next: () throws -> [UInt8]?,
    refused: (String) throws -> Void
  ) throws -> Int {
    try analytics.importEvents(into: project) {
      while let line = try next() {
        do {
          return try RecordedEvent(row: JSONValue(parsing: String(decoding: line, as: UTF8.self)))
        } catch let error as ServiceError {
          guard error.code == .invalidArgument else { throw error }
          try refused(error.message)
        }
      }
      return nil
    } refused: { text in
      try refused(text)
    }
  }
}
