#if canImport(SwiftUI)
import PhotosUI
import PontoCore
import SwiftUI

struct ClockView: View {
  let app: PontoViewModel
  @State private var item: PhotosPickerItem?
  @State private var isChoosing = false
  @State private var location = LocationFeed()

  var body: some View {
    VStack(spacing: 32) {
      Text(app.clock.time)
        .font(.system(size: 56, weight: .bold)).monospacedDigit()
        .frame(width: 220, height: 220)
        .overlay(Circle().stroke(.tint, lineWidth: 10))
      PhotosPicker("Foto do registro (opcional)", selection: $item, matching: .images)
      Button("REGISTRAR PONTO") {
        Task { await register() }
      }
      .buttonStyle(.borderedProminent)
      .disabled(app.clock.isBusy)
      Text(app.clock.message ?? "").bold().multilineTextAlignment(.center)
    }
    .padding()
    .photosPicker(isPresented: $isChoosing, selection: $item, matching: .images)
    .onAppear { isChoosing = app.startsRegistering }
    .task { await location.follow() }
  }

  private func register() async {
    let bytes = try? await item?.loadTransferable(type: Data.self)
    await app.register(photo: bytes.flatMap { Picture($0) }, place: location.place)
    item = nil
  }
}
#endif
