#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

struct AppointmentsView: View {
  let model: AppointmentsViewModel
  let onMove: @MainActor (AppointmentsViewModel.Row) -> Void
  let onCancel: @MainActor (AppointmentsViewModel.Row) -> Void

  var body: some View {
    NavigationStack {
      ScrollView {
        VStack(spacing: 16) {
          ForEach(model.rows ?? []) { row in
            SpecialistCard(specialist: row.specialist) {
              Text(row.date).bold()
              if row.isConfirmed { Text("Confirmada").foregroundStyle(.green) }
              HStack {
                if row.awaitsConfirmation {
                  Button("Confirmar") {
                    Task { await model.confirm(row) }
                  }
                  .buttonStyle(.bordered)
                }
                Button("Remarcar") { onMove(row) }.buttonStyle(.borderedProminent)
                Button("Cancelar", role: .destructive) { onCancel(row) }.buttonStyle(.bordered)
              }
            }
          }
        }
        .padding()
      }
      .overlay {
        if model.content.hasFailed {
          RetryButton { await model.appear() }
        }
        if model.rows?.isEmpty == true {
          Text("Não há nenhuma consulta agendada no momento!").foregroundStyle(.orange).bold()
        }
      }
      .navigationTitle("Minhas consultas")
    }
  }
}
#endif
