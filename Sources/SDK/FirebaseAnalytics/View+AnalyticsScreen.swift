#if canImport(SwiftUI)
import SwiftUI

extension View {
  /// Logs the screen each time that the view appears.
  public func analyticsScreen(
    name: String,
    class: String = "View",
    extraParameters: [String: Any] = [:]
  ) -> some View {
    onAppear {
      var parameters = extraParameters
      parameters[AnalyticsParameterScreenName] = name
      parameters[AnalyticsParameterScreenClass] = `class`
      Analytics.logEvent(AnalyticsEventScreenView, parameters: parameters)
    }
  }
}
#endif
