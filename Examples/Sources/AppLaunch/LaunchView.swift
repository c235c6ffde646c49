#if canImport(SwiftUI)
import FirebaseCore
import SwiftUI

/// The app's first screen, or what is missing for it.
package struct LaunchView<Model, Content: View>: View {
  private let launch: Result<Model, any Error>
  private let content: (Model) -> Content

  /// - Parameter launch: The app's model, or why there is none.
  package init(
    _ launch: Result<Model, any Error>,
    @ViewBuilder content: @escaping (Model) -> Content
  ) {
    (self.launch, self.content) = (launch, content)
  }

  /// The first screen.
  package var body: some View {
    switch launch {
    case .success(let model): content(model)
    case .failure(let error): LaunchFailureView(error: error)
    }
  }
}

/// Says what the app lacks, and how the person who builds it gets that.
struct LaunchFailureView: View {
  let error: any Error

  var body: some View {
    ContentUnavailableView {
      Label("The app cannot start", systemImage: "wrench.and.screwdriver")
    } description: {
      Text(error.localizedDescription)
      if error is FirebaseAppError { Text(Self.advice).textSelection(.enabled) }
    }
  }

  private static let advice = """
    Register the app at your Brasa and add the file to the app's target:

    brasa apps create ios --bundle-id \(Bundle.main.bundleIdentifier ?? "ID") --project PROJECT
    brasa apps config \(Bundle.main.bundleIdentifier ?? "ID") --project PROJECT \
    --origin https://ADDRESS --out GoogleService-Info.plist
    """
}
#endif
