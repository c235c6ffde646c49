#if canImport(SwiftUI)
import SwiftUI

/// Four grey rows that fade while the specialists load.
struct SkeletonView: View {
  @State private var isFaded = false

  var body: some View {
    VStack(alignment: .leading, spacing: 35) {
      ForEach(0..<4, id: \.self) { _ in
        HStack(spacing: 16) {
          Circle().frame(width: 60, height: 60)
          VStack(alignment: .leading, spacing: 8) {
            Capsule().frame(width: 200, height: 14)
            Capsule().frame(width: 120, height: 14)
          }
        }
      }
    }
    .foregroundStyle(
      LinearGradient(colors: [.gray, .white, .gray], startPoint: .leading, endPoint: .trailing)
    )
    .opacity(isFaded ? 0 : 1)
    .animation(.easeInOut(duration: 0.7).repeatForever(), value: isFaded)
    .onAppear { isFaded = true }
    .accessibilityHidden(true)
  }
}
#endif
