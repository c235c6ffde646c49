import KeyValueStore

/// An event as it was sent, with all that is known of it.
package struct RecordedEvent: Sendable, Equatable {
  /// The event as the app sent it; names beyond the limits of words are `(other)`.
  package let event: AnalyticsEvent
  /// Nil for an event without consent.
  package let instanceID: String?
  /// The id that the app gave its user in the batch; nil if it gave none.
  package let userID: String?
  /// The app and the device, as the batch had them.
  package let context: EventContext
  /// The user's properties, as the batch had them.
  package let properties: [UserProperty]
  /// The time when the server received the batch, in microseconds since the epoch.
  package let received: Int64
  /// The correction of the app's clock in microseconds, which the event's time has already.
  package let clockOffset: Int64

  /// An event with its circumstances.
  package init(
    event: AnalyticsEvent,
    instanceID: String?,
    userID: String?,
    context: EventContext,
    properties: [UserProperty],
    received: Int64,
    clockOffset: Int64
  ) {
    self.event = event
    self.instanceID = instanceID
    self.userID = userID
    self.context = context
    self.properties = properties
    self.received = received
    self.clockOffset = clockOffset
  }
}

/// Gives timelines back their words.
struct EventDecoder {
  private let project: UInt32
  private let reader: any KeyValueReader
  private var words: WordReader
  private var contexts: [UInt32: SealedContext] = [:]

  init(project: UInt32, reader: any KeyValueReader) {
    self.project = project
    self.reader = reader
    words = WordReader(project: project, reader: reader)
  }

  /// The events of an instance in the order in which they happened.
  mutating func events(_ runs: [TimelineRun], of instance: UInt32) throws -> [RecordedEvent] {
    let id = try instanceID(instance)
    var decoded: [RecordedEvent] = []
    for run in runs {
      let context = try context(of: run).context
      let properties = try run.properties.map { try property($0) }
      for event in run.events {
        decoded.append(
          RecordedEvent(
            event: try self.event(event),
            instanceID: id,
            userID: run.userID,
            context: context,
            properties: properties,
            received: run.received,
            clockOffset: run.clockOffset
          )
        )
      }
    }
    return decoded.enumerated()
      .sorted { left, right in
        let (a, b) = (left.element.event, right.element.event)
        return (a.time, a.sequence, left.offset) < (b.time, b.sequence, right.offset)
      }
      .map(\.element)
  }

  /// The ID of an instance's number; nil for 0.
  func instanceID(_ instance: UInt32) throws -> String? {
    guard instance != 0 else { return nil }
    guard let bytes = try reader.get(EventKey.numbered(.number, project, instance)) else {
      throw KeyValueError(.corruption, "an instance of analytics has no id")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  mutating func context(of run: TimelineRun) throws -> SealedContext {
    if run.context == WordTable.other { return try SealedContext(decoding: run.inlineContext) }
    if let known = contexts[run.context] { return known }
    let context = try SealedContext(decoding: words.bytes(run.context, in: .contexts))
    contexts[run.context] = context
    return context
  }

  private mutating func property(_ property: TimelineRun.Property) throws -> UserProperty {
    let scope = WordScope(.propertyValue, of: property.name)
    let value =
      property.word == WordTable.other
      ? property.text : try words.text(property.word, in: scope)
    let name = try words.text(property.name, in: .properties)
    return UserProperty(name, value, time: property.time)
  }

  private mutating func event(_ event: TimelineEvent) throws -> AnalyticsEvent {
    let parameters = try event.parameters.map { parameter in
      EventParameter(
        try words.text(parameter.name, in: .parameters),
        try value(parameter.value, of: parameter.name)
      )
    }
    return AnalyticsEvent(
      try words.text(event.name, in: .events),
      time: event.time,
      sequence: event.sequence,
      parameters: parameters
    )
  }

  private mutating func value(
    _ value: TimelineEvent.Value,
    of parameter: UInt32
  ) throws -> EventValue {
    switch value {
    case .word(let number):
      .string(try words.text(number, in: WordScope(.parameterValue, of: parameter)))
    case .text(let text): .string(text)
    case .integer(let number, _): .integer(number)
    case .double(let number): .double(number)
    case .items(let items): .items(items)
    }
  }
}
