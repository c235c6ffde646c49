import FirebaseCore
import Foundation

// Events of the app, and those that come with them.

extension EventCollector {
  /// Logs an event of the app; one with a wrong name is dropped.
  package func logEvent(_ name: String, _ parameters: [String: Any]) {
    guard EventRules.isEventName(name) else {
      EventRules.log("The event \"\(name)\" has an invalid or reserved name and is dropped.")
      return
    }
    let checked = EventRules.parameters(parameters, of: name)
    let time = micros
    update { editor, volatile in
      guard isEnabled(editor.contents.settings) else { return }
      try beginSession(at: time, &editor, &volatile)
      var params = checked
      if name == AnalyticsEventScreenView {
        params.merge(volatile.screen.change(to: checked)) { $1 }
      }
      try append(name, params, at: time, &editor, &volatile)
    }
  }

  /// Logs an error that the app got over.
  package func record(_ error: any Error, _ parameters: [String: Any]) {
    var given = parameters
    given["exception"] = "\(error._domain) \(error._code)"
    given["reason"] = error.localizedDescription
    var checked = EventRules.parameters(given, of: "app_exception")
    checked["fatal"] = .int(0)
    checked["timestamp"] = .int(micros / 1_000)
    logAutomatic("app_exception", checked)
  }

  /// Logs an event of the SDK's own, whose name apps may not use.
  func logAutomatic(_ name: String, _ params: [String: EventValue]) {
    let time = micros
    update { editor, volatile in
      guard isEnabled(editor.contents.settings) else { return }
      try beginSession(at: time, &editor, &volatile)
      try append(name, params, at: time, &editor, &volatile)
    }
  }

  /// Begins a session if there is none, behind the first start's event.
  func beginSession(
    at time: Int64,
    _ editor: inout LogEditor,
    _ volatile: inout Volatile
  ) throws {
    let settings = editor.contents.settings
    let timeout = settings.sessionTimeoutMillis * 1_000
    let mayEnd = !surroundings.tellsLifecycle || !volatile.engagement.isRunning
    if let session = settings.session, !(mayEnd && session.isOver(at: time, timeoutMicros: timeout))
    {
      return
    }
    volatile.engagement.restart(at: time)
    volatile.screen = ScreenState()
    let isFirst = !settings.hasFirstOpen
    try editor.change { settings in
      settings.sessionCount += 1
      settings.hasFirstOpen = true
      if isFirst { settings.firstOpenMicros = time }
      settings.session = SessionState(
        id: time / 1_000_000,
        number: settings.sessionCount,
        lastActivityMicros: time
      )
    }
    if isFirst { try append("first_open", [:], at: time, &editor, &volatile) }
    try append("session_start", [:], at: time, &editor, &volatile)
  }

  /// Appends an event with the common members of all events.
  func append(
    _ name: String,
    _ params: [String: EventValue],
    at time: Int64,
    _ editor: inout LogEditor,
    _ volatile: inout Volatile
  ) throws {
    let settings = editor.contents.settings
    var params = EventRules.merged(params, defaults: settings.defaultParameters)
    if carriesEngagement(name) {
      let millis = volatile.engagement.takeMillis(at: time)
      if millis > 0 { params["engagement_time_msec"] = .int(millis) }
      try note(millis: millis, isScreen: name == AnalyticsEventScreenView, &editor)
    }
    params.merge(volatile.screen.params) { $1 }
    if let session = editor.contents.settings.session {
      params["ga_session_id"] = .int(session.id)
      params["ga_session_number"] = .int(session.number)
      if session.isEngaged { params["session_engaged"] = .int(1) }
    }
    let sequence = editor.contents.settings.nextSequence
    let event = LoggedEvent(name: name, timeMicros: time, sequence: sequence, params: params)
    try editor.append(.event(event))
  }

  /// Returns true if the event carries the time of use: every event does if no platform signals
  /// that the app is left.
  private func carriesEngagement(_ name: String) -> Bool {
    !surroundings.tellsLifecycle
      || [AnalyticsEventScreenView, "user_engagement"].contains(name)
  }

  private func note(millis: Int64, isScreen: Bool, _ editor: inout LogEditor) throws {
    guard editor.contents.settings.session?.isEngaged == false, millis > 0 || isScreen else {
      return
    }
    try editor.change { settings in
      settings.session?.engagedMillis += millis
      if isScreen { settings.session?.screenCount += 1 }
    }
  }
}
