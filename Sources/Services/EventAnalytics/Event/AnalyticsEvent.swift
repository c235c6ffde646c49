/// The value of an event's parameter.
package enum EventValue: Sendable, Equatable {
  case string(String)
  case integer(Int64)
  case double(Double)
  /// The items of a purchase or a list, each with parameters of its own.
  case items([[EventParameter]])
}

/// One parameter of an event.
package struct EventParameter: Sendable, Equatable {
  /// The name; `BatchCheck` keeps those of at most 40 letters, digits and underscores, each once in its event.
  package let name: String
  /// Text, a number or the items; a text and the whole number of its digits are distinct.
  package let value: EventValue

  /// A parameter of that name.
  package init(_ name: String, _ value: EventValue) {
    self.name = name
    self.value = value
  }
}

/// Something that happened in an app.
package struct AnalyticsEvent: Sendable, Equatable {
  /// The name, such as `first_open`; `BatchCheck` drops events whose names break Firebase's rules.
  package var name: String
  /// When it happened: microseconds since the epoch.
  package var time: Int64
  /// The app's order of events of one time.
  package var sequence: Int64
  /// In the order in which the app sent them.
  package var parameters: [EventParameter]

  /// An event.
  package init(
    _ name: String,
    time: Int64,
    sequence: Int64 = 0,
    parameters: [EventParameter] = []
  ) {
    self.name = name
    self.time = time
    self.sequence = sequence
    self.parameters = parameters
  }

  /// The first parameter of that name.
  package subscript(name: String) -> EventValue? { parameters.first { $0.name == name }?.value }

  /// True if an installation with such an event counts as active on its day, as `ContextWords`
  /// counts it for stored ones.
  var isActivity: Bool {
    ["first_open", "first_visit"].contains(name) || (integer("engagement_time_msec") ?? 0) > 0
      || integer("session_engaged") == 1
  }

  /// The first parameter of that name as a text, where it is one or a whole number.
  func text(_ name: String) -> String? {
    switch self[name] {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .double, .items, nil: nil
    }
  }

  /// The first parameter of that name, where it is a whole number or a text of one.
  func integer(_ name: String) -> Int64? {
    switch self[name] {
    case .integer(let number): number
    case .string(let text): Int64(text)
    case .double(let number): Int64(exactly: number)
    case .items, nil: nil
    }
  }
}

/// A property of a user, as the user or the app has set it.
package struct UserProperty: Sendable, Equatable {
  /// The name; `BatchCheck` keeps those of at most 24 letters, digits and underscores, each once in its batch.
  package let name: String
  /// The value; `BatchCheck` keeps those of at most 36 characters.
  package let value: String
  /// When it was set: microseconds since the epoch.
  package let time: Int64

  /// A property of that name.
  package init(_ name: String, _ value: String, time: Int64) {
    self.name = name
    self.value = value
    self.time = time
  }
}
