#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

/// The red bar above everything; it blocks nothing.
struct SnackbarView: View {
  let message: String?

  var body: some View {
    VStack {
      if let message {
        Text(message)
          .foregroundStyle(.white)
          .frame(maxWidth: .infinity, alignment: .leading)
          .padding()
          .background(.red, in: .rect(cornerRadius: 12))
          .padding()
          .transition(.move(edge: .bottom).combined(with: .opacity))
      }
    }
    .animation(.easeOut, value: message)
    .allowsHitTesting(false)
  }
}

extension View {
  /// Shows a view model's notice as an alert.
  func notice(_ notice: Notice?, onClose: @escaping @MainActor () -> Void) -> some View {
    alert(
      notice?.title ?? "",
      isPresented: .constant(notice != nil),
      presenting: notice
    ) { _ in
      Button("Ok", action: onClose)
    } message: { notice in
      Text(notice.message)
    }
  }
}
#endif
