import CodableGuideCore
import Foundation

/// The values of `book.mustache`, for every kind of book.
@MainActor
struct BookModel {
  struct Fetch {
    let id: String
    let label: String
  }

  /// The fields that a kind of book has beyond the three simple ones.
  struct Part {
    let title: String
    let emptyText: String
    let items: [Item]
    /// The label of the button that adds one; nil where there is none.
    let adds: String?
    // Templates read what is stored.
    let isEmpty: Bool

    init(title: String, emptyText: String, items: [Item], adds: String?) {
      (self.title, self.emptyText, self.items, self.adds) = (title, emptyText, items, adds)
      isEmpty = items.isEmpty
    }
  }

  struct Item {
    let text: String
    let link: String?
    let color: String?
    let ink: String
    let isPlain: Bool

    init(text: String, link: String? = nil, color: HexColor? = nil) {
      (self.text, self.link, self.color) = (text, link, color?.text)
      ink = color?.ink ?? ""
      isPlain = link == nil && color == nil
    }
  }

  let menu: MenuModel
  let heading: PageFrame.Heading
  let id: String
  let title: String
  let pages: Int
  let author: String
  let isReadOnly: Bool
  let warning: String?
  var part: Part?
  let notice: String?
  let error: String?
  let fetches: [Fetch]
  let canUpdate: Bool

  init(_ model: ManualMappingViewModel, _ frame: PageFrame) {
    self.init(
      model.book,
      frame,
      error: model.error,
      warning: "Don't do this: a field that is missing or of another type becomes \"\" or 0."
    )
  }

  init<Value>(_ model: BookViewModel<Value>, _ frame: PageFrame) {
    self.init(model.book, frame, notice: model.notice, error: model.error)
  }

  init(_ model: BookViewModel<BookWithCoverImages>, _ frame: PageFrame) {
    self.init(model.book, frame, notice: model.notice, error: model.error)
    let links = model.book.cover.map {
      [("small", $0.small), ("medium", $0.medium), ("large", $0.large)]
    }
    part = Part(
      title: "Covers",
      emptyText: "This book has no covers.",
      items: (links ?? []).map { Item(text: $0.0, link: $0.1.absoluteString) },
      adds: nil
    )
  }

  init(_ model: BookViewModel<BookWithGenre>, _ frame: PageFrame) {
    self.init(model.book, frame, notice: model.notice, error: model.error)
    part = Part(
      title: "Genres",
      emptyText: "This book has no genre.",
      items: model.book.genres.map { Item(text: $0) },
      adds: "Add a genre"
    )
  }

  init(_ model: BookViewModel<BookWithTags>, _ frame: PageFrame) {
    self.init(model.book, frame, notice: model.notice, error: model.error)
    part = Part(
      title: "Tags",
      emptyText: "This book has no tag.",
      items: model.book.tags.map {
        Item(text: $0.title, color: $0.color)
      },
      adds: "Add a tag"
    )
  }

  private init<Value: BookDocument>(
    _ book: Value,
    _ frame: PageFrame,
    notice: String? = nil,
    error: MappingError?,
    warning: String? = nil
  ) {
    (menu, heading) = (frame.menu, frame.heading)
    id = book.id ?? "none yet"
    title = book.title
    pages = book.numberOfPages
    author = book.author
    isReadOnly = warning != nil
    self.warning = warning
    self.notice = notice
    self.error = error?.text
    canUpdate = book.id != nil
    fetches = [
      Fetch(id: Value.sample, label: "Fetch"),
      Fetch(id: "does-not-exist", label: "Fetch a missing one"),
      Fetch(id: "invalid-data", label: "Fetch an invalid one"),
    ]
  }
}
