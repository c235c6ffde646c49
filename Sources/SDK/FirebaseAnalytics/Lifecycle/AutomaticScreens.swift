#if canImport(UIKit) && !os(watchOS)
import ObjectiveC
import UIKit

/// Logs a screen when a view controller appears that fills it, by its class.
///
/// Stands in front of `viewDidAppear` of all view controllers, once a process. `FirebaseAutomaticScreenReportingEnabled`
/// of the property list turns it off.
@MainActor
enum AutomaticScreens {
  private static weak var collector: EventCollector?
  private static var isInstalled = false
  private static var lastScreen: String?

  /// Begins to log for the collector.
  static func install(for collector: EventCollector) {
    self.collector = collector
    guard !isInstalled,
      let original = class_getInstanceMethod(
        UIViewController.self,
        #selector(UIViewController.viewDidAppear(_:))
      ),
      let reporting = class_getInstanceMethod(
        UIViewController.self,
        #selector(UIViewController.reportingViewDidAppear(_:))
      )
    else { return }
    isInstalled = true
    method_exchangeImplementations(original, reporting)
  }

  /// Logs the screen of a controller, unless it only holds others or is on the screen already.
  fileprivate static func note(_ controller: UIViewController) {
    guard !isContainer(controller), controller.view.window != nil else { return }
    let name = String(describing: type(of: controller))
    guard name != lastScreen else { return }
    lastScreen = name
    collector?.logEvent(AnalyticsEventScreenView, [AnalyticsParameterScreenClass: name])
  }

  private static func isContainer(_ controller: UIViewController) -> Bool {
    switch controller {
    case is UINavigationController, is UITabBarController, is UISplitViewController,
      is UIPageViewController, is UIAlertController, is UIInputViewController:
      true
    default: controller.parent.map { !isContainer($0) } ?? false
    }
  }
}

extension UIViewController {
  /// Exchanged with `viewDidAppear`, so that the call of itself is that of the original.
  @objc fileprivate dynamic func reportingViewDidAppear(_ animated: Bool) {
    reportingViewDidAppear(animated)
    AutomaticScreens.note(self)
  }
}
#endif
