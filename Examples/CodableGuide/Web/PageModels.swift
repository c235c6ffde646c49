import CodableGuideCore
import Foundation

/// The values of the templates of `Pages/`: one type a screen, texts only.

struct MenuModel {
  struct Group {
    let title: String
    let entries: [Entry]
  }

  struct Entry {
    let name: String
    let title: String
    let isCurrent: Bool
  }

  let isOpen: Bool
  let groups: [Group]

  init(current: GuideViewModel.Entry?) {
    isOpen = current != nil
    groups = Menu.groups.map { group in
      Group(
        title: group.title,
        entries: group.entries.map {
          Entry(name: $0.rawValue, title: $0.title, isCurrent: $0 == current)
        }
      )
    }
  }
}

@MainActor
struct WelcomeModel {
  let menu: MenuModel
  let isSigningIn: Bool
  let error: String?

  init(_ model: GuideViewModel, menu: MenuModel) {
    self.menu = menu
    isSigningIn = model.person == nil
    error = model.error?.text
  }
}

/// The parts of every open screen: the menu beside it and its heading.
struct PageFrame {
  struct Heading {
    let key: String
    let title: String
  }

  let menu: MenuModel
  let heading: Heading

  init(menu: MenuModel, entry: GuideViewModel.Entry) {
    self.menu = menu
    heading = Heading(key: "screen-\(entry.rawValue)", title: entry.title)
  }
}

/// The state that every live list shows.
@MainActor
struct ListState {
  struct Skipped {
    let id: String
    let text: String
  }

  let isLoading: Bool
  let isBehind: Bool
  let error: String?
  /// Why the list is not followed any more.
  let stopped: String?
  let skipped: [Skipped]
  let additions: Int

  init<Element>(_ list: LiveCollection<Element>) {
    isLoading = list.elements == nil && list.stopped == nil
    isBehind = list.elements != nil && list.isFromCache
    error = list.error?.text
    stopped = list.stopped?.text
    additions = list.additions
    skipped = list.skipped.map { Skipped(id: $0.id, text: $0.error.text) }
  }
}

@MainActor
struct LanguagesModel {
  struct Row {
    let id: String
    let name: String
    let year: String
  }

  let menu: MenuModel
  let heading: PageFrame.Heading
  let state: ListState
  let rows: [Row]
  let name: String
  let year: String
  let reason: String
  let formError: String?
  let visitTime: String
  let visitRemark: String
  let visitError: String?
  /// Why the visit is not followed any more.
  let visitStopped: String?

  init(_ model: LanguagesViewModel, _ frame: PageFrame) {
    (menu, heading) = (frame.menu, frame.heading)
    state = ListState(model.list)
    rows = (model.list.elements ?? []).map {
      Row(id: $0.id ?? "", name: $0.name, year: String($0.releaseYear))
    }
    name = model.draft.name
    year = model.yearText
    reason = model.draft.reasonWhyILoveThis
    formError = model.formError
    visitTime =
      switch model.visit {
      case nil: "You were not here before."
      case let visit?: visit.time.map { $0.formatted(.iso8601) } ?? "The server sets the time…"
      }
    visitRemark = model.visit.map { "Remark: \($0.remark ?? "null")" } ?? ""
    visitError = model.visitError?.text
    visitStopped = model.visitStopped?.text
  }
}

@MainActor
struct ColorsModel {
  struct Row {
    let id: String
    let name: String
    let color: String
    let ink: String
  }

  let menu: MenuModel
  let heading: PageFrame.Heading
  let state: ListState
  let rows: [Row]
  let name: String
  let color: String
  let opacity: Int

  init(_ model: ColorsViewModel, _ frame: PageFrame) {
    (menu, heading) = (frame.menu, frame.heading)
    state = ListState(model.list)
    rows = (model.list.elements ?? []).map {
      Row(id: $0.id ?? "", name: $0.name, color: $0.color.text, ink: $0.color.ink)
    }
    name = model.draft.name
    let draft = model.draft.color
    color = HexColor(red: draft.red, green: draft.green, blue: draft.blue).text
    opacity = Int(draft.alpha)
  }
}

@MainActor
struct ArticlesModel {
  struct Row {
    let id: String
    let title: String
    let status: String
    let color: String
  }

  struct Choice {
    let value: String
    let isChosen: Bool
  }

  let menu: MenuModel
  let heading: PageFrame.Heading
  let state: ListState
  let rows: [Row]
  let title: String
  let choices: [Choice]

  init(_ model: ArticlesViewModel, _ frame: PageFrame) {
    (menu, heading) = (frame.menu, frame.heading)
    state = ListState(model.list)
    rows = (model.list.elements ?? []).map {
      Row(
        id: $0.id ?? "",
        title: $0.title,
        status: $0.status.rawValue,
        color: $0.status.colorName
      )
    }
    title = model.draft.title
    choices = Article.Status.allCases.map {
      Choice(value: $0.rawValue, isChosen: $0 == model.draft.status)
    }
  }
}

extension HexColor {
  /// The style of text on this colour.
  var ink: String { isLight ? "on-light" : "on-dark" }
}

extension Article.Status {
  fileprivate var colorName: String {
    switch self {
    case .draft: "red"
    case .inReview: "yellow"
    case .approved: "green"
    case .published: "blue"
    }
  }
}
