#if canImport(SwiftUI)
import CodableGuideCore
import SwiftUI

/// A book's three simple fields, what a kind of book has beyond them, and the buttons.
struct BookForm<Value: BookDocument, Part: View>: View {
  @Bindable var model: BookViewModel<Value>
  @ViewBuilder let part: Part

  var body: some View {
    Form {
      Section {
        TextField("Title", text: $model.book.title)
        TextField("Pages", value: $model.book.numberOfPages, format: .number)
        TextField("Author", text: $model.book.author)
      } header: {
        Text(model.book.id ?? "No document yet")
      } footer: {
        ErrorText(error: model.error)
      }
      part
      Section {
        FetchButtons(sample: Value.sample, fetch: model.fetch)
      }
      Section {
        Button("Update", action: model.update).disabled(model.book.id == nil)
        Button("New", action: model.startNew)
        Button("Add as a new document", action: model.add)
      } footer: {
        Text(model.notice ?? "")
      }
    }
  }
}

struct ManualMappingView: View {
  let model: ManualMappingViewModel

  var body: some View {
    Form {
      Section {
        LabeledContent("Title", value: model.book.title)
        LabeledContent("Pages", value: model.book.numberOfPages, format: .number)
        LabeledContent("Author", value: model.book.author)
      } footer: {
        ErrorText(error: model.error)
      }
      Section {
        FetchButtons(sample: Book.sample, fetch: model.fetch)
      } footer: {
        Text("Don't do this: a field that is missing or of another type becomes \"\" or 0.")
      }
    }
  }
}

struct FetchButtons: View {
  let sample: String
  let fetch: @MainActor (String) async -> Void

  var body: some View {
    Button("Fetch") { Task { await fetch(sample) } }
    Button("Fetch a missing one") { Task { await fetch("does-not-exist") } }
    Button("Fetch an invalid one") { Task { await fetch("invalid-data") } }
  }
}

struct ErrorText: View {
  let error: MappingError?

  var body: some View {
    if let error { Text(error.text).foregroundStyle(.red) }
  }
}

struct CoversSection: View {
  let cover: CoverImages?

  var body: some View {
    Section("Covers") {
      if let cover {
        Link("Small", destination: cover.small)
        Link("Medium", destination: cover.medium)
        Link("Large", destination: cover.large)
      } else {
        Text("This book has no covers.").foregroundStyle(.secondary)
      }
    }
  }
}

struct GenresSection: View {
  let model: BookViewModel<BookWithGenre>

  var body: some View {
    Section("Genres") {
      ForEach(model.book.genres, id: \.self) { Text($0) }
      Button("Add a genre", action: model.addGenre)
    }
  }
}

struct TagsSection: View {
  let model: BookViewModel<BookWithTags>

  var body: some View {
    Section("Tags") {
      ForEach(model.book.tags, id: \.self) { tag in
        Text(tag.title)
          .foregroundStyle(tag.color.isLight ? .black : .white)
          .padding(.horizontal)
          .background(Color(tag.color), in: .capsule)
          .background(.white, in: .capsule)
      }
      Button("Add a tag", action: model.addTag)
    }
  }
}

extension Color {
  /// The stored colour, its opacity included.
  init(_ color: HexColor) {
    self.init(
      .sRGB,
      red: Double(color.red) / 255,
      green: Double(color.green) / 255,
      blue: Double(color.blue) / 255,
      opacity: Double(color.alpha) / 255
    )
  }
}
#endif
