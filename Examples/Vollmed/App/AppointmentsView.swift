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
              HStack {
                Button("Remarcar") { onMove(row) }.buttonStyle(.borderedProminent)
                Button("Cancelar", role: .destructive) { onCancel(row) }.buttonStyle(.bordered)
              }
            }
          }
        }
        .padding()
      }
      .overlay {
        if model.rows?.isEmpty == true {
          Text("Não há nenhuma consulta agendada no momento!").foregroundStyle(.orange).bold()
        }
      }
      .navigationTitle("Minhas consultas")
    }
  }
}
#endif
