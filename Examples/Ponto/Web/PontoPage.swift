import Foundation
import LivePage
import PontoCore

/// The time clock in a browser.
@MainActor
final class PontoPage: LiveApp {
  private let app: PontoViewModel
  private let authenticator: PINAuthenticator

  init(app: PontoViewModel, authenticator: PINAuthenticator) {
    self.app = app
    self.authenticator = authenticator
  }

  func run() async {
    await app.run()
    authenticator.cancel()
  }

  var view: LiveView {
    switch app.tab {
    case .clock: LiveView(template: "clock", model: ClockModel(app.clock))
    case .receipts:
      LiveView(template: "receipts", model: ReceiptsModel(app.receipts, authenticator))
    }
  }

  func perform(_ action: LiveAction) async {
    switch action.name {
    case "tab": await app.select(.init(rawValue: action["tab"]) ?? .clock)
    case "register": await app.register(photo: action.picture, place: action.place)
    case "synchronize": await app.receipts.synchronize()
    case "delete":
      if let id = UUID(uuidString: action["id"]) { await app.receipts.delete(id) }
    case "pin": authenticator.enter(action["pin"])
    case "pin-cancel": authenticator.cancel()
    case "profile": if let picture = action.picture { app.receipts.setProfile(picture) }
    default: break
    }
  }
}

extension LiveAction {
  fileprivate var picture: Picture? { file("photo").flatMap(Picture.init) }

  fileprivate var place: Place? {
    guard let latitude = Double(self["latitude"]), let longitude = Double(self["longitude"]) else {
      return nil
    }
    return Place(latitude: latitude, longitude: longitude)
  }
}
