/// The screen that an app shows, as far as it says so.
struct ScreenState: Sendable {
  private var name: EventValue?
  private var screenClass: EventValue?

  /// The parameters that describe it in events on the screen.
  var params: [String: EventValue] { params("firebase_screen", "firebase_screen_class") }

  /// Notes the next screen by the parameters of its event; returns what the event says of the one before.
  mutating func change(to params: [String: EventValue]) -> [String: EventValue] {
    defer {
      name = params[AnalyticsParameterScreenName]
      screenClass = params[AnalyticsParameterScreenClass]
    }
    return self.params("firebase_previous_screen", "firebase_previous_class")
  }

  private func params(_ nameKey: String, _ classKey: String) -> [String: EventValue] {
    var result: [String: EventValue] = [:]
    result[nameKey] = name
    result[classKey] = screenClass
    return result
  }
}
