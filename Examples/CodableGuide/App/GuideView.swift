#if canImport(SwiftUI)
import CodableGuideCore
import SwiftUI

/// The menu on the left, the open screen on the right.
struct GuideView: View {
  let guide: GuideViewModel

  var body: some View {
    NavigationSplitView {
      List(selection: selection) {
        ForEach(Menu.groups, id: \.title) { group in
          Section(group.title) {
            ForEach(group.entries, id: \.self) { Text($0.title) }
          }
        }
      }
      .navigationTitle("Codable guide")
    } detail: {
      detail
    }
    .task { await guide.start() }
  }

  private var selection: Binding<GuideViewModel.Entry?> {
    Binding {
      guide.entry
    } set: { entry in
      if let entry { guide.open(entry) } else { guide.close() }
    }
  }

  @ViewBuilder private var detail: some View {
    if let screen = guide.screen, let entry = guide.entry {
      ScreenView(screen: screen).navigationTitle(entry.title)
    } else if let error = guide.error {
      ContentUnavailableView {
        Label("Not signed in", systemImage: "wifi.slash")
      } description: {
        Text(error.text)
      } actions: {
        Button("Try again") { Task { await guide.start() } }
      }
    } else {
      Text("Choose an entry of the menu.").foregroundStyle(.secondary)
    }
  }
}

struct ScreenView: View {
  let screen: GuideViewModel.Screen

  var body: some View {
    switch screen {
    case .manual(let model): ManualMappingView(model: model)
    case .simple(let model): BookForm(model: model) {}
    case .custom(let model): BookForm(model: model) { CoversSection(cover: model.book.cover) }
    case .arrays(let model): BookForm(model: model) { GenresSection(model: model) }
    case .nested(let model): BookForm(model: model) { TagsSection(model: model) }
    case .languages(let model): LanguagesView(model: model)
    case .locations(let model): OfficesView(model: model)
    case .colors(let model): ColorsView(model: model)
    case .articles(let model): ArticlesView(model: model)
    }
  }
}
#endif
