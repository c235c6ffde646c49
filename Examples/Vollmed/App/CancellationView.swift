#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

struct CancellationView: View {
  @Bindable var model: CancellationViewModel
  let onBack: @MainActor () async -> Void

  var body: some View {
    NavigationStack {
      Form {
        Section("Conte-nos o motivo do cancelamento da sua consulta") {
          TextEditor(text: $model.reason).frame(minHeight: 120)
        }
        Button("Cancelar consulta", role: .destructive) {
          Task { await model.cancel() }
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
    .notice(model.notice) {
      let isDone = model.notice?.isSuccess == true
      model.closeNotice()
      if isDone { Task { await onBack() } }
    }
  }
}
#endif
