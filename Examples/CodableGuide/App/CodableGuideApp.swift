#if canImport(SwiftUI)
import AppLaunch
import CodableGuideCore
import FirebaseCore
import SwiftUI

/// The guide's app: the composition root.
public struct CodableGuideApp: App {
  @State private var launch: Result<GuideViewModel, any Error>

  /// Configures Firebase by the app's `GoogleService-Info.plist` or the examples' servers; SwiftUI makes the app.
  public init() {
    launch = Result { GuideViewModel(try FirebaseApp.launched(as: .codableGuide)) }
  }

  /// One window.
  public var body: some Scene {
    WindowGroup {
      LaunchView(launch) { GuideView(guide: $0) }
    }
  }
}
#endif
