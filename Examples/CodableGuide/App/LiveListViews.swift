#if canImport(SwiftUI)
import CodableGuideCore
import SwiftUI

/// The state of a live list: errors, documents that were left out, no connection.
struct ListStateView<Element: Codable & Sendable>: View {
  let list: LiveCollection<Element>

  var body: some View {
    ErrorText(error: list.error)
    if let stopped = list.stopped {
      Text("The list is not up to date any more. \(stopped.text)").foregroundStyle(.red)
      Button("Try again", action: list.tryAgain)
    }
    if list.elements == nil && list.stopped == nil { ProgressView() }
    if list.elements != nil && list.isFromCache {
      Label("Offline: what you add is sent later.", systemImage: "wifi.slash")
    }
    ForEach(list.skipped, id: \.id) { skipped in
      Text("\(skipped.id) is left out. \(skipped.error.text)").foregroundStyle(.red)
    }
  }
}

struct LanguagesView: View {
  @Bindable var model: LanguagesViewModel
  @State private var remark = ""

  var body: some View {
    Form {
      Section {
        ListStateView(list: model.list)
        ForEach(model.list.elements ?? [], id: \.id) { language in
          LabeledContent(language.name, value: "Released: \(language.releaseYear)")
        }
      }
      Section("Add a language") {
        TextField("Name", text: $model.draft.name)
        TextField("Year", text: $model.yearText)
        TextField("Why I love it (stays on this device)", text: $model.draft.reasonWhyILoveThis)
        if let error = model.formError { Text(error).foregroundStyle(.red) }
        Button("Add", action: model.add)
      }
      Section("Your last visit") {
        if let visit = model.visit {
          Text(visit.time?.formatted(.iso8601) ?? "The server sets the time…")
          Text("Remark: \(visit.remark ?? "null")")
        } else {
          Text("You were not here before.")
        }
        if let stopped = model.visitStopped {
          Text("Your visit is not up to date any more. \(stopped.text)").foregroundStyle(.red)
          Button("Try again", action: model.tryAgain)
        }
        ErrorText(error: model.visitError)
        TextField("Remark (none is stored as null)", text: $remark)
        Button("I am here now") { model.noteVisit(remark: remark) }
      }
    }
  }
}

struct ColorsView: View {
  @Bindable var model: ColorsViewModel

  var body: some View {
    Form {
      Section {
        ListStateView(list: model.list)
        ForEach(model.list.elements ?? [], id: \.id) { entry in
          LabeledContent(entry.name, value: entry.color.text)
            .foregroundStyle(entry.color.isLight ? .black : .white)
            .listRowBackground(Color(entry.color).background(.white))
        }
      }
      Section("Add a colour") {
        TextField("Name", text: $model.draft.name)
        ColorPicker("Colour", selection: color)
        Button("Add", action: model.add)
      }
    }
  }

  private var color: Binding<Color> {
    Binding {
      Color(model.draft.color)
    } set: { color in
      let parts = color.resolve(in: EnvironmentValues())
      model.draft.color = HexColor(
        red: Self.channel(parts.red),
        green: Self.channel(parts.green),
        blue: Self.channel(parts.blue),
        alpha: Self.channel(parts.opacity)
      )
    }
  }

  private static func channel(_ value: Float) -> UInt8 {
    UInt8((min(max(value, 0), 1) * 255).rounded())
  }
}

struct ArticlesView: View {
  @Bindable var model: ArticlesViewModel

  var body: some View {
    Form {
      Section {
        ListStateView(list: model.list)
        ForEach(model.list.elements ?? [], id: \.id) { article in
          LabeledContent(article.title) {
            Text(article.status.rawValue).foregroundStyle(article.status.color)
          }
        }
      }
      Section("Add an article") {
        TextField("Title", text: $model.draft.title)
        Picker("Status", selection: $model.draft.status) {
          ForEach(Article.Status.allCases, id: \.self) { Text($0.rawValue) }
        }
        Button("Add", action: model.add)
      }
    }
  }
}

extension Article.Status {
  fileprivate var color: Color {
    switch self {
    case .draft: .red
    case .inReview: .yellow
    case .approved: .green
    case .published: .blue
    }
  }
}
#endif
