import Foundation

#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Receives from the platform when the app comes to the front and leaves it, for as long as it
/// lasts.
final class AppLifecycle: Sendable {
  #if canImport(UIKit) && !os(watchOS)
  static let isTold = true
  private static let names = (
    front: UIApplication.didBecomeActiveNotification,
    back: UIApplication.didEnterBackgroundNotification,
    end: UIApplication.willTerminateNotification
  )
  #elseif canImport(AppKit)
  static let isTold = true
  private static let names = (
    front: NSApplication.didBecomeActiveNotification,
    back: NSApplication.didResignActiveNotification,
    end: NSApplication.willTerminateNotification
  )
  #else
  /// True if the platform posts notifications; here none does.
  static let isTold = false
  #endif

  #if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
  // Unchecked in its tokens alone: the notification centre made them, and they are only handed back to it.
  nonisolated(unsafe) private let tokens: [any NSObjectProtocol]

  init(collector: EventCollector) {
    let center = NotificationCenter.default
    tokens = [
      center.addObserver(forName: Self.names.front, object: nil, queue: nil) { [weak collector] _ in
        collector?.didEnterForeground()
      },
      center.addObserver(forName: Self.names.back, object: nil, queue: nil) { [weak collector] _ in
        collector?.didEnterBackground()
      },
      center.addObserver(forName: Self.names.end, object: nil, queue: nil) { [weak collector] _ in
        collector?.didEnterBackground()
      },
    ]
  }

  deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
  #else
  init(collector: EventCollector) {}
  #endif
}
