#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

struct BookingView: View {
  @Bindable var model: BookingViewModel
  let onBack: @MainActor () async -> Void

  var body: some View {
    NavigationStack {
      Form {
        Text("Selecione a data e o horário da consulta").font(.headline)
        DatePicker(
          "Data e horário",
          selection: $model.date,
          in: model.earliest...,
          displayedComponents: [.date, .hourAndMinute]
        )
        .datePickerStyle(.graphical)
        Button(model.buttonTitle) {
          Task { await model.confirm() }
        }
        .disabled(model.isBusy)
      }
      .toolbar {
        ToolbarItem(placement: .cancellationAction) {
          Button("Voltar") {
            Task { await onBack() }
          }
        }
      }
    }
    .notice(model.notice, onClose: model.closeNotice)
  }
}
#endif
