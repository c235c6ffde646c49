import FirebaseCore
import Foundation

// The facts at the start of the program, and the app's way to the front and back.

extension EventCollector {
  /// Begins to work, if that was not done.
  func startOnce() {
    let isFirst = lifecycle.withLock { lifecycle in
      guard lifecycle == nil else { return false }
      lifecycle = AppLifecycle(collector: self)
      return true
    }
    guard isFirst else { return }
    start(crash: CrashMarker.shared.arm(app.stateFile(named: "firebase_crash")))
    #if canImport(UIKit) && !os(watchOS)
    guard CollectionSetting.current.reportsScreens else { return }
    DispatchQueue.main.async { MainActor.assumeIsolated { AutomaticScreens.install(for: self) } }
    #endif
  }

  /// Logs the changes since the last run, and begins a session if no platform reports one.
  package func start(crash: CrashReport? = nil) {
    start(on: .current(at: surroundings.now()), crash: crash)
  }

  func start(on device: EventDevice, crash: CrashReport? = nil) {
    let time = micros
    update { editor, volatile in
      let old = editor.contents.context
      // In front of the device's change: the version that failed was the old one.
      if let crash, isEnabled(editor.contents.settings) {
        try append("app_exception", crash.params, at: crash.timeMicros, &editor, &volatile)
      }
      try editor.changeContext { context in
        context.device = device
        context.isDebug = Self.isDebug(surroundings.arguments, before: context.isDebug)
      }
      guard isEnabled(editor.contents.settings) else { return }
      if !surroundings.tellsLifecycle {
        volatile.engagement.start(at: time)
        try beginSession(at: time, &editor, &volatile)
      }
      try appendUpdates(from: old.device, to: device, at: time, &editor, &volatile)
    }
  }

  private func appendUpdates(
    from old: EventDevice,
    to new: EventDevice,
    at time: Int64,
    _ editor: inout LogEditor,
    _ volatile: inout Volatile
  ) throws {
    let changes = [
      ("app_update", "previous_app_version", old.appVersion, new.appVersion),
      ("os_update", "previous_os_version", old.osVersion, new.osVersion),
    ]
    for (event, parameter, before, now) in changes {
      guard let before, before != now else { continue }
      try append(event, [parameter: .string(before)], at: time, &editor, &volatile)
    }
  }

  /// The mode by the program's arguments, else the one of the last run.
  private static func isDebug(_ arguments: [String], before: Bool) -> Bool {
    if ["-FIRDebugDisabled", "-FIRAnalyticsDebugDisabled"].contains(where: arguments.contains) {
      return false
    }
    return before
      || ["-FIRDebugEnabled", "-FIRAnalyticsDebugEnabled"].contains(where: arguments.contains)
  }

  /// The app came to the front.
  package func didEnterForeground() {
    let time = micros
    update { editor, volatile in
      guard isEnabled(editor.contents.settings) else { return }
      try beginSession(at: time, &editor, &volatile)
      volatile.engagement.start(at: time)
    }
  }

  /// The app left the front.
  package func didEnterBackground() {
    let time = micros
    update { editor, volatile in
      volatile.engagement.stop(at: time)
      guard isEnabled(editor.contents.settings), editor.contents.settings.session != nil else {
        return
      }
      try append("user_engagement", [:], at: time, &editor, &volatile)
    }
    uploader?.wake(urgently: true)
  }
}
