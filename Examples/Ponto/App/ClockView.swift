#if canImport(SwiftUI)
import PontoCore
import SwiftUI

struct ClockView: View {
  let app: PontoViewModel
  @State private var isTakingPhoto = false
  @State private var location = LocationFeed()

  var body: some View {
    VStack(spacing: 32) {
      Text(app.clock.time)
        .font(.system(size: 56, weight: .bold)).monospacedDigit()
        .frame(width: 220, height: 220)
        .overlay(Circle().stroke(.tint, lineWidth: 10))
      Button("REGISTRAR PONTO", action: app.startRegistering)
        .buttonStyle(.borderedProminent)
        .disabled(app.clock.isBusy)
      Text(app.clock.message ?? "").bold().multilineTextAlignment(.center)
    }
    .padding()
    .onChange(of: app.isRegistering, initial: true) { start() }
    .task { await location.follow() }
    #if canImport(UIKit)
    .sheet(isPresented: $isTakingPhoto, onDismiss: app.stopRegistering) {
      CameraPicker { bytes in
        isTakingPhoto = false
        if let bytes { register(Picture(bytes)) }
      }
    }
    #endif
  }

  private func start() {
    guard app.isRegistering else { return }
    #if canImport(UIKit)
    isTakingPhoto = true
    #else
    register(nil)
    #endif
  }

  private func register(_ photo: Picture?) {
    Task { await app.register(photo: photo, place: location.place) }
  }
}
#endif
