import Foundation
import LivePage
import RESTClient
import VollmedCore

/// The clinic's app in a browser: draws the view models and passes on what the person does.
@MainActor
package final class VollmedPage: LiveApp {
  private let app: VollmedViewModel
  private let timeZone: TimeZone

  package init(app: VollmedViewModel, timeZone: TimeZone) {
    self.app = app
    self.timeZone = timeZone
  }

  package func run() async {
    await app.appear()
  }

  package var view: LiveView {
    let snackbar = app.snackbar.message
    return switch app.screen {
    case .signIn(let model):
      LiveView(template: "sign-in", model: SignInPage(model, snackbar: snackbar))
    case .signUp(let model):
      LiveView(template: "sign-up", model: SignUpPage(model))
    case .tab(.home):
      LiveView(template: "home", model: HomePage(app.home, snackbar: snackbar))
    case .tab(.appointments):
      LiveView(
        template: "appointments",
        model: AppointmentsPage(app.appointments, snackbar: snackbar)
      )
    case .booking(let model):
      LiveView(template: "booking", model: BookingPage(model, timeZone: timeZone))
    case .cancellation(let model):
      LiveView(template: "cancellation", model: CancellationPage(model))
    }
  }

  package func perform(_ action: LiveAction) async {
    switch (action.name, app.screen) {
    case ("back", _): await app.goBack()
    case ("retry", .tab): await app.appear()
    case ("tab", .tab): await app.select(.init(rawValue: action["tab"]) ?? .home)
    case ("sign-up", .signIn): app.startSignUp()
    case (_, .signIn(let model)): await perform(action, on: model)
    case (_, .signUp(let model)): await perform(action, on: model)
    case (_, .tab(.home)): await performAtHome(action)
    case (_, .tab(.appointments)): await performAtAppointments(action)
    case (_, .booking(let model)): await perform(action, on: model)
    case (_, .cancellation(let model)): await perform(action, on: model)
    }
  }

  private func perform(_ action: LiveAction, on model: SignInViewModel) async {
    switch action.name {
    case "close": model.closeNotice()
    case "sign-in":
      model.email = action["email"]
      model.password = action["password"]
      await model.signIn()
      await app.appear()
    default: break
    }
  }

  private func perform(_ action: LiveAction, on model: SignUpViewModel) async {
    switch action.name {
    case "close":
      let isDone = model.notice?.isSuccess == true
      model.closeNotice()
      if isDone { await app.goBack() }
    case "register":
      model.name = action["name"]
      model.email = action["email"]
      model.cpf = action["cpf"]
      model.phoneNumber = action["phoneNumber"]
      model.password = action["password"]
      model.healthPlan = action["healthPlan"]
      await model.signUp()
    default: break
    }
  }

  private func performAtHome(_ action: LiveAction) async {
    switch action.name {
    case "log-out": await app.home.logOut()
    case "book":
      let specialist = app.home.specialists?.first { $0.id == action["specialist"] }
      if let specialist { app.startBooking(with: specialist) }
    default: break
    }
  }

  private func performAtAppointments(_ action: LiveAction) async {
    guard let row = app.appointments.rows?.first(where: { $0.id == action["appointment"] }) else {
      return
    }
    switch action.name {
    case "move": app.startMoving(row)
    case "confirm": await app.appointments.confirm(row)
    case "start-cancelling": app.startCancelling(row)
    default: break
    }
  }

  private func perform(_ action: LiveAction, on model: BookingViewModel) async {
    switch action.name {
    case "close": model.closeNotice()
    case "confirm":
      if let date = CalendarText.date(action["date"], in: timeZone) { model.date = date }
      await model.confirm()
    default: break
    }
  }

  private func perform(_ action: LiveAction, on model: CancellationViewModel) async {
    switch action.name {
    case "close":
      let isDone = model.notice?.isSuccess == true
      model.closeNotice()
      if isDone { await app.goBack() }
    case "cancel":
      model.reason = action["reason"]
      await model.cancel()
    default: break
    }
  }
}
