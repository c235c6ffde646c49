import FirebaseCore
import FirebaseInstallations
import Foundation

// The app's settings about itself, its user and the collection of data.

extension EventCollector {
  /// Properties that a user has at most.
  private static let propertyLimit = 25

  /// Sets a property of the user; nil removes it.
  package func setUserProperty(_ value: String?, forName name: String) {
    guard EventRules.isPropertyName(name) else {
      EventRules.log("The user property \"\(name)\" has an invalid or reserved name.")
      return
    }
    let value = value.map(EventRules.propertyValue)
    let time = micros / 1_000
    update { editor, _ in
      var properties = editor.contents.context.properties
      let known = properties[name]
      guard known == nil ? value != nil : known?.value != value else { return }
      if properties[name] == nil, properties.count >= Self.propertyLimit {
        // The server has received the removals.
        properties = properties.filter { $0.value.value != nil }
      }
      guard properties[name] != nil || properties.count < Self.propertyLimit else {
        EventRules.log("An app can set at most \(Self.propertyLimit) user properties.")
        return
      }
      properties[name] = EventContext.Property(value: value, setTimeMillis: time)
      try editor.changeContext { $0.properties = properties }
    }
  }

  /// Sets the user's id; nil removes it.
  package func setUserID(_ id: String?) {
    let id = EventRules.userID(id)
    update { editor, _ in try editor.changeContext { $0.userID = id } }
  }

  /// Sets parameters that all events have from now on; a value of `NSNull` removes one, nil all.
  package func setDefaultParameters(_ parameters: [String: Any]?) {
    let removed = parameters?.filter { $0.value is NSNull }.keys
    let checked = parameters.map { given in
      EventRules.parameters(given.filter { !($0.value is NSNull) }, of: "the defaults")
    }
    update { editor, _ in
      try editor.change { settings in
        guard let checked else { return settings.defaultParameters = [:] }
        settings.defaultParameters.merge(checked) { $1 }
        for name in removed ?? [:].keys { settings.defaultParameters[name] = nil }
      }
    }
  }

  /// Sets the user's consent; types that are not in the dictionary stay.
  package func setConsent(_ consent: [ConsentType: ConsentStatus]) {
    update { editor, _ in
      try editor.changeContext { context in
        for (type, status) in consent {
          guard let name = type.wireName else { continue }
          context.consent[name] = status == .granted ? "GRANTED" : "DENIED"
        }
      }
    }
  }

  /// Collects events or not; queued events are sent when collection is on again.
  package func setEnabled(_ isEnabled: Bool) {
    update { editor, _ in try editor.change { $0.isEnabled = isEnabled } }
  }

  /// Sets the seconds after which a session without activity is over.
  package func setSessionTimeout(_ seconds: TimeInterval) {
    guard seconds.isFinite, seconds > 0 else {
      EventRules.log("The session timeout must be above zero.")
      return
    }
    let millis = Int64(min(seconds, 86_400 * 365) * 1_000)
    update { editor, _ in try editor.change { $0.sessionTimeoutMillis = millis } }
  }

  /// Deletes all events and data about the user, and continues as another app instance.
  package func reset() {
    update { editor, volatile in
      try editor.append(.cleared)
      try editor.change { settings in
        let secret = InstallationSecret.random()
        (settings.instanceID, settings.instanceSecret) = (secret.id, secret.text)
        settings.defaultParameters = [:]
        settings.session = nil
        settings.sessionCount = 0
        (settings.hasFirstOpen, settings.firstOpenMicros) = (false, nil)
      }
      try editor.changeContext { ($0.userID, $0.properties) = (nil, [:]) }
      volatile.screen = ScreenState()
    }
  }

  /// The ID of the current session; nil if there is none or the user does not consent to an ID.
  package var sessionID: Int64? {
    let time = micros
    return update { editor, volatile -> Int64? in
      let settings = editor.contents.settings
      guard let session = settings.session, !editor.contents.context.isAnonymous else { return nil }
      let mayEnd = !surroundings.tellsLifecycle || !volatile.engagement.isRunning
      let timeout = settings.sessionTimeoutMillis * 1_000
      return mayEnd && session.isOver(at: time, timeoutMicros: timeout) ? nil : session.id
    } ?? nil
  }
}
