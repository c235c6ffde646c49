#if canImport(SwiftUI)
import MapKit
import PhotosUI
import PontoCore
import SwiftUI

struct ReceiptsView: View {
  let model: ReceiptsViewModel
  @State private var shown: Receipt?
  @State private var profile: PhotosPickerItem?

  var body: some View {
    NavigationStack {
      List {
        PhotosPicker("Trocar foto", selection: $profile, matching: .images)
        Button("Sincronizar agora") {
          Task { await model.synchronize() }
        }
        if let message = model.message {
          Text(message).foregroundStyle(.secondary)
        }
        ForEach(model.rows) { row in
          ReceiptRow(row: row, onShow: { shown = row.receipt }) {
            Task { await model.delete(row.id) }
          }
        }
      }
      .navigationTitle("Recibos")
    }
    .sheet(item: $shown) { PlaceView(place: $0.place) }
    .onChange(of: profile) {
      Task {
        let bytes = try? await profile?.loadTransferable(type: Data.self)
        if let picture = bytes.flatMap({ Picture($0) }) { model.setProfile(picture) }
      }
    }
  }
}

struct ReceiptRow: View {
  let row: ReceiptsViewModel.Row
  let onShow: @MainActor () -> Void
  let onDelete: @MainActor () -> Void

  var body: some View {
    HStack {
      Button(action: onShow) {
        VStack(alignment: .leading) {
          Text(row.status).font(.subheadline.bold())
            .foregroundStyle(row.isSynchronized ? .green : .red)
          Text(row.date).monospacedDigit()
          if let refusal = row.refusal {
            Text(refusal).font(.footnote).foregroundStyle(.red)
          }
        }
      }
      Spacer()
      Button("Apagar", systemImage: "trash", role: .destructive, action: onDelete)
        .labelStyle(.iconOnly)
    }
    .buttonStyle(.borderless)
    .frame(minHeight: 100)
  }
}

/// A map around a receipt's place, with one pin; words where there is no such place on earth.
struct PlaceView: View {
  let place: Place

  var body: some View {
    if place.isOnEarth {
      map
    } else {
      ContentUnavailableView(
        "Localização desconhecida",
        systemImage: "mappin.slash",
        description: Text("\(place.latitude), \(place.longitude)")
      )
    }
  }

  private var map: some View {
    let center = CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
    let span = MKCoordinateSpan(latitudeDelta: 0.01, longitudeDelta: 0.01)
    return Map(initialPosition: .region(MKCoordinateRegion(center: center, span: span))) {
      Marker("Registro de ponto", coordinate: center)
    }
  }
}
#endif
