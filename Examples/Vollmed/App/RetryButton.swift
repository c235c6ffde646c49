#if canImport(SwiftUI)
import SwiftUI

/// The way on after a screen could not be loaded.
struct RetryButton: View {
  let onRetry: @MainActor () async -> Void

  var body: some View {
    Button("Tentar novamente") {
      Task { await onRetry() }
    }
    .buttonStyle(.bordered)
    .frame(maxWidth: .infinity)
  }
}
#endif
