#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

struct HomeView: View {
  let model: HomeViewModel
  let onBook: @MainActor (Specialist) -> Void

  var body: some View {
    NavigationStack {
      ScrollView {
        VStack(alignment: .leading, spacing: 16) {
          LogoView()
          Text("Boas-vindas!").font(.title2.bold())
          Text("Veja abaixo os especialistas da Vollmed disponíveis e marque já a sua consulta!")
            .font(.headline)
          if let specialists = model.specialists {
            ForEach(specialists) { specialist in
              SpecialistCard(specialist: specialist) {
                Button("Agendar consulta") { onBook(specialist) }
                  .buttonStyle(.borderedProminent)
              }
            }
          } else if model.content.hasFailed {
            RetryButton { await model.appear() }
          } else {
            SkeletonView()
          }
        }
        .padding()
      }
      .toolbar {
        Button {
          Task { await model.logOut() }
        } label: {
          Label("Logout", systemImage: "rectangle.portrait.and.arrow.right")
            .labelStyle(.titleAndIcon)
        }
      }
    }
  }
}
#endif
