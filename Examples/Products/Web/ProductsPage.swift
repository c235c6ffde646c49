import FirebaseCore
import Foundation
import LivePage
import ProductsCore

/// The products in a browser: draws the view models and passes on what the person does.
@MainActor
package final class ProductsPage: LiveApp {
  private let model: ProductsViewModel

  init(_ model: ProductsViewModel) {
    self.model = model
  }

  /// Runs the app, and ends it with the browser's session.
  package func run() async {
    await model.run()
    _ = await model.app.delete()
  }

  package var view: LiveView {
    switch model.screen {
    case .starting: LiveView(template: "starting", model: [String: String]())
    case .signIn(let signIn): LiveView(template: "sign-in", model: SignInModel(signIn))
    case .list(let list):
      if let form = list.form {
        LiveView(template: "form", model: FormModel(form))
      } else {
        LiveView(template: "products", model: ListModel(list, canDelete: model.canDelete))
      }
    }
  }

  package func perform(_ action: LiveAction) async {
    switch model.screen {
    case .starting: break
    case .signIn(let signIn): await perform(action, on: signIn)
    case .list(let list):
      if action.name == "sign-out" { return await model.signOut() }
      await perform(action, on: list)
    }
  }

  /// A photo of the list that is shown: of nobody else's.
  package func file(_ name: String) async -> LiveFile? {
    guard case .list(let list) = model.screen, let data = await list.photo(name),
      let type = Photo.contentType(of: data)
    else { return nil }
    return LiveFile(data: data, contentType: type)
  }

  private func perform(_ action: LiveAction, on signIn: SignInViewModel) async {
    switch action.name {
    case "sign-in":
      signIn.email = action["email"]
      await signIn.signIn(password: action["password"])
    case "create-account":
      signIn.email = action["email"]
      await signIn.createAccount(password: action["password"])
    case "provider":
      guard let back = URL(string: "\(action.origin)/live/return") else { return }
      await signIn.begin(action["provider"], continueURL: back)
    case "return":
      guard let answer = URL(string: "\(action.origin)/live/return?\(action["query"])") else {
        return
      }
      await signIn.finish(answer)
    case "cancel-provider": signIn.cancel()
    default: break
    }
  }

  private func perform(_ action: LiveAction, on list: ProductListViewModel) async {
    switch action.name {
    case "try-again": list.tryAgain()
    case "new": list.beginProduct()
    case "edit": list.edit(action["id"])
    case "delete": if model.canDelete { await list.delete(action["id"]) }
    case "dismiss":
      if let form = list.form { form.dismissAlert() } else { list.dismissError() }
    case "cancel": list.closeForm()
    case "photo": if let data = action.file("photo") { list.form?.choose(data) }
    case "save":
      guard let form = list.form else { return }
      form.draft.name = action["name"]
      form.draft.description = action["description"]
      form.draft.code = action["code"]
      form.draft.price = action["price"]
      await list.saveForm()
    default: break
    }
  }
}
