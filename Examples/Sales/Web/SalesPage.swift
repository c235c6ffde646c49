import Foundation
import LivePage
import SalesCore

/// The sales provider's app in a browser.
@MainActor
package final class SalesPage: LiveApp {
  private let app: SalesViewModel

  package init(app: SalesViewModel) {
    self.app = app
  }

  package func run() async {
    await app.appear()
  }

  package var view: LiveView {
    switch app.screen {
    case .signIn(let model):
      LiveView(template: "sign-in", model: SignInModel(model))
    case .products(let model):
      LiveView(template: "products", model: ProductsModel(model))
    case .editor(let model):
      LiveView(template: "editor", model: EditorModel(model))
    case .form(let model):
      LiveView(template: "form", model: FormModel(model))
    }
  }

  package func perform(_ action: LiveAction) async {
    switch (action.name, app.screen) {
    case ("show-form", _): await app.show(form: true)
    case ("show-products", _): await app.show(form: false)
    case (_, .signIn(let model)): await perform(action, on: model)
    case (_, .products(let model)): await perform(action, on: model)
    case (_, .editor(let model)): await perform(action, on: model)
    case (_, .form(let model)): perform(action, on: model)
    }
  }

  private func perform(_ action: LiveAction, on model: SignInViewModel) async {
    guard action.name == "sign-in" else { return }
    model.email = action["email"]
    model.password = action["password"]
    await model.signIn()
    await app.appear()
  }

  private func perform(_ action: LiveAction, on model: ProductListViewModel) async {
    let product = model.products?.first { $0.code == action["code"] }
    switch action.name {
    case "reload": await model.reload()
    case "new": app.startCreating()
    case "edit": if let product { app.startEditing(product) }
    case "delete": if let product { await model.delete(product) }
    case "dismiss": model.dismissAlert()
    case "sign-out": app.signOut()
    default: break
    }
  }

  private func perform(_ action: LiveAction, on model: ProductEditorViewModel) async {
    switch action.name {
    case "cancel": app.closeEditor()
    case "dismiss": model.dismissAlert()
    case "save":
      action.write(to: &model.draft)
      await model.save()
    default: break
    }
  }

  private func perform(_ action: LiveAction, on model: ProductFormViewModel) {
    switch action.name {
    case "type": action.write(to: &model.draft)
    case "save":
      action.write(to: &model.draft)
      model.save()
    default: break
    }
  }
}

extension LiveAction {
  /// Copies the fields that the action carries; the others stay.
  fileprivate func write(to draft: inout ProductDraft) {
    var copy = draft
    for field in ProductDraft.Field.allCases {
      if let text = fields[field.rawValue] { copy[field] = text }
    }
    draft = copy
  }
}
