/// The words that are numbered together.
struct WordScope: Hashable, Sendable {
  enum Kind: UInt8, Sendable {
    case event = 1
    case parameter = 2
    case property = 3
    /// An encoded `EventContext`.
    case context = 4
    /// A parameter's value; `of` is the number of the parameter.
    case parameterValue = 5
    /// A property's value; `of` is the number of the property.
    case propertyValue = 6
    /// A dimension's value; `of` is the dimension.
    case dimensionValue = 7
  }

  let kind: Kind
  let of: UInt32

  init(_ kind: Kind, of: UInt32 = 0) {
    self.kind = kind
    self.of = of
  }

  static let events = WordScope(.event)
  static let parameters = WordScope(.parameter)
  static let properties = WordScope(.property)
  static let contexts = WordScope(.context)

  static func values(of dimension: Facet.Dimension) -> WordScope {
    WordScope(.dimensionValue, of: UInt32(dimension.rawValue))
  }

  /// Returns the prefix of the keys of the scope's words.
  func prefix(_ kind: EventKey.Kind, _ project: UInt32) -> [UInt8] {
    var bytes = EventKey.numbered(kind, project)
    bytes.append(self.kind.rawValue)
    EventKey.append(of, to: &bytes)
    return bytes
  }
}

/// Words that have the same number in every project: those that counting looks at.
enum KnownWord {
  /// Other words' numbers begin here.
  static let count: UInt32 = 64

  enum Event: UInt32, CaseIterable {
    case first_open = 1
    case first_visit = 2
    case session_start = 3
    case user_engagement = 4
    case screen_view = 5
    case page_view = 6
    case app_exception = 7
    case purchase = 8
  }

  enum Parameter: UInt32, CaseIterable {
    case engagement_time_msec = 1
    case session_engaged = 2
    case ga_session_id = 3
    case ga_session_number = 4
    case value = 5
    case firebase_screen_id = 6
    case firebase_previous_id = 7
    case timestamp = 8
    case transaction_id = 9
  }

  /// Parameters whose values are as many as events, so that they are not counted apart.
  static func isCounted(_ parameter: UInt32) -> Bool { parameter >= count }

  private static let events = table(Event.allCases.map { ("\($0)", $0.rawValue) })
  private static let parameters = table(Parameter.allCases.map { ("\($0)", $0.rawValue) })

  private static func table(
    _ words: [(String, UInt32)]
  ) -> (numbers: [[UInt8]: UInt32], texts: [UInt32: [UInt8]]) {
    let words = words.map { (Array($0.0.utf8), $0.1) }
    return (
      Dictionary(uniqueKeysWithValues: words),
      Dictionary(uniqueKeysWithValues: words.map { ($0.1, $0.0) })
    )
  }

  static func number(of text: [UInt8], in scope: WordScope) -> UInt32? {
    switch scope.kind {
    case .event: events.numbers[text]
    case .parameter: parameters.numbers[text]
    default: nil
    }
  }

  static func text(of number: UInt32, in scope: WordScope) -> [UInt8]? {
    switch scope.kind {
    case .event: events.texts[number]
    case .parameter: parameters.texts[number]
    default: nil
    }
  }
}
