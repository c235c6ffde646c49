#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

/// A specialist, and below what can be done.
struct SpecialistCard<Actions: View>: View {
  let specialist: Specialist
  @ViewBuilder let actions: Actions

  var body: some View {
    VStack(alignment: .leading, spacing: 12) {
      HStack(spacing: 16) {
        AsyncImage(url: URL(string: specialist.imageURL)) { image in
          image.resizable().scaledToFill()
        } placeholder: {
          Color.clear
        }
        .frame(width: 64, height: 64)
        .clipShape(.circle)
        VStack(alignment: .leading) {
          Text(specialist.name).font(.headline)
          Text(specialist.specialty).foregroundStyle(.secondary)
        }
      }
      actions
    }
    .frame(maxWidth: .infinity, alignment: .leading)
    .padding()
    .background(.background.secondary, in: .rect(cornerRadius: 16))
  }
}
#endif
