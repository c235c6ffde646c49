import BaseJSON
import Events

/// Events for the eyes of administrators.
package enum EventReport {
  /// The data of an event as JSON; data that is no JSON as a text.
  package static func data(of event: StoredEvent) throws -> JSONValue {
    if event.family == .documents { return try DocumentForm(event).json }
    let text = String(decoding: event.data, as: UTF8.self)
    return (try? JSONValue(parsing: text)) ?? .string(text)
  }
}
