#if canImport(SwiftUI)
import CodableGuideCore
import FirebaseCore
import SwiftUI

/// The guide's app: the composition root.
public struct CodableGuideApp: App {
  @State private var guide: GuideViewModel

  /// Configures Firebase by the app's `GoogleService-Info.plist`; SwiftUI makes the app.
  public init() {
    do {
      guide = GuideViewModel(try FirebaseApp.configured())
    } catch {
      fatalError("The app lacks its configuration: \(error.localizedDescription)")
    }
  }

  /// One window.
  public var body: some Scene {
    WindowGroup { GuideView(guide: guide) }
  }
}
#endif
