#if canImport(SwiftUI)
import SwiftUI

/// The clinic's sign and name, drawn as the pages draw them (`Web/Pages/logo.mustache`).
struct LogoView: View {
  var body: some View {
    HStack(spacing: 10) {
      LogoSign()
        .stroke(.white, style: StrokeStyle(lineWidth: 4, lineCap: .round, lineJoin: .round))
        .frame(width: 48, height: 48)
        .background(.tint, in: RoundedRectangle(cornerRadius: 14))
      Text("voll\(Text("med").fontWeight(.heavy))").font(.largeTitle).foregroundStyle(.tint)
    }
    .frame(maxWidth: .infinity)
    .padding(.vertical, 16)
    .accessibilityElement()
    .accessibilityLabel("Vollmed")
    .accessibilityAddTraits(.isImage)
  }
}

/// A V under a cross, in a square of 48 points.
private struct LogoSign: Shape {
  func path(in rect: CGRect) -> Path {
    var path = Path()
    for line in [
      [CGPoint(x: 11, y: 15), CGPoint(x: 24, y: 35), CGPoint(x: 37, y: 15)],
      [CGPoint(x: 24, y: 8), CGPoint(x: 24, y: 20)],
      [CGPoint(x: 18, y: 14), CGPoint(x: 30, y: 14)],
    ] { path.addLines(line) }
    return path.applying(
      CGAffineTransform(scaleX: rect.width / 48, y: rect.height / 48)
    )
  }
}
#endif
