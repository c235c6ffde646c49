import CodableGuideCore
import FirebaseCore
import LivePage

/// The guide in a browser: draws the view models and passes on what the person does.
@MainActor
package final class GuidePage: LiveApp {
  private let guide: GuideViewModel

  init(_ app: FirebaseApp) {
    guide = GuideViewModel(app)
  }

  /// Signs in, and ends listeners and the app with the browser's session.
  package func run() async {
    await guide.start()
    let (end, open) = AsyncStream.makeStream(of: Never.self)
    for await _ in end {}
    open.finish()
    guide.close()
    _ = await guide.app.delete()
  }

  package var view: LiveView {
    let menu = MenuModel(current: guide.entry)
    guard let screen = guide.screen, let entry = guide.entry else {
      return LiveView(template: "welcome", model: WelcomeModel(guide, menu: menu))
    }
    let frame = PageFrame(menu: menu, entry: entry)
    return switch screen {
    case .manual(let model): LiveView(template: "book", model: BookModel(model, frame))
    case .simple(let model): LiveView(template: "book", model: BookModel(model, frame))
    case .custom(let model): LiveView(template: "book", model: BookModel(model, frame))
    case .arrays(let model): LiveView(template: "book", model: BookModel(model, frame))
    case .nested(let model): LiveView(template: "book", model: BookModel(model, frame))
    case .languages(let model):
      LiveView(template: "languages", model: LanguagesModel(model, frame))
    case .locations(let model):
      LiveView(template: "locations", model: LocationsModel(model, frame))
    case .colors(let model): LiveView(template: "colors", model: ColorsModel(model, frame))
    case .articles(let model): LiveView(template: "articles", model: ArticlesModel(model, frame))
    }
  }

  package func perform(_ action: LiveAction) async {
    switch (action.name, guide.screen) {
    case ("retry", _): await guide.start()
    case ("close", _): guide.close()
    case ("open", _):
      if let entry = GuideViewModel.Entry(rawValue: action["entry"]) { guide.open(entry) }
    case ("fetch", .manual(let model)): await model.fetch(action["document"])
    case (_, .simple(let model)): await perform(action, on: model)
    case (_, .custom(let model)): await perform(action, on: model)
    case (_, .arrays(let model)):
      await perform(action, on: model)
      if action.name == "add-part" { model.addGenre() }
    case (_, .nested(let model)):
      await perform(action, on: model)
      if action.name == "add-part" { model.addTag() }
    case (_, .languages(let model)): perform(action, on: model)
    case ("try-again", .locations(let model)): model.list.tryAgain()
    case ("try-again", .colors(let model)): model.list.tryAgain()
    case ("try-again", .articles(let model)): model.list.tryAgain()
    case ("choose", .locations(let model)):
      model.choose(action["location"].isEmpty ? nil : action["location"])
    case ("add", .colors(let model)): add(action, to: model)
    case ("add", .articles(let model)):
      model.draft.title = action["title"]
      model.draft.status = Article.Status(rawValue: action["status"]) ?? .draft
      model.add()
    default: break
    }
  }

  private func perform<Book>(_ action: LiveAction, on model: BookViewModel<Book>) async {
    model.book.title = action["title"]
    model.book.author = action["author"]
    if let pages = Int(action["numberOfPages"]) { model.book.numberOfPages = pages }
    switch action.name {
    case "fetch": await model.fetch(action["document"])
    case "update": model.update()
    case "new": model.startNew()
    case "add": model.add()
    default: break
    }
  }

  private func perform(_ action: LiveAction, on model: LanguagesViewModel) {
    switch action.name {
    case "try-again": model.tryAgain()
    case "visit": model.noteVisit(remark: action["remark"])
    case "add":
      model.draft.name = action["name"]
      model.draft.reasonWhyILoveThis = action["reason"]
      model.yearText = action["year"]
      model.add()
    default: break
    }
  }

  private func add(_ action: LiveAction, to model: ColorsViewModel) {
    guard let color = HexColor(action["color"]), let opacity = UInt8(action["opacity"]) else {
      return
    }
    model.draft.name = action["name"]
    model.draft.color = HexColor(
      red: color.red,
      green: color.green,
      blue: color.blue,
      alpha: opacity
    )
    model.add()
  }
}
