import Foundation
import VollmedCore

/// The values of the templates of `Pages/`: one type a screen, texts only.

struct NoticeBox {
  let title: String
  let message: String

  init?(_ notice: Notice?) {
    guard let notice else { return nil }
    title = notice.title
    message = notice.message
  }
}

@MainActor
struct SignInPage {
  let email: String
  let isBusy: Bool
  let notice: NoticeBox?
  let snackbar: String?

  init(_ model: SignInViewModel, snackbar: String?) {
    email = model.email
    isBusy = model.isBusy
    notice = NoticeBox(model.notice)
    self.snackbar = snackbar
  }
}

@MainActor
struct SignUpPage {
  struct Input {
    let name: String
    let label: String
    let hint: String
    let type: String
    let mode: String
    let autocomplete: String
    let value: String
    let error: String?
  }

  struct Plan {
    let name: String
    let isChosen: Bool
  }

  let inputs: [Input]
  let plans: [Plan]
  let isBusy: Bool
  let notice: NoticeBox?

  init(_ model: SignUpViewModel) {
    func input(
      _ field: SignUpViewModel.Field,
      _ label: String,
      _ hint: String,
      type: String = "text",
      mode: String = "text",
      autocomplete: String = "off",
      value: String
    ) -> Input {
      Input(
        name: field.rawValue,
        label: label,
        hint: hint,
        type: type,
        mode: mode,
        autocomplete: autocomplete,
        value: value,
        error: model.errors[field]
      )
    }
    inputs = [
      input(
        .name,
        "Nome",
        "Insira seu nome completo",
        autocomplete: "name",
        value: model.name
      ),
      input(
        .email,
        "Email",
        "Insira seu email",
        type: "email",
        mode: "email",
        autocomplete: "email",
        value: model.email
      ),
      input(.cpf, "CPF", "Insira seu CPF", mode: "numeric", value: model.cpf),
      input(
        .phoneNumber,
        "Telefone",
        "Insira seu telefone",
        type: "tel",
        mode: "tel",
        autocomplete: "tel",
        value: model.phoneNumber
      ),
      input(
        .password,
        "Senha",
        "Insira sua senha",
        type: "password",
        autocomplete: "new-password",
        value: model.password
      ),
    ]
    plans = HealthPlan.all.map { Plan(name: $0, isChosen: $0 == model.healthPlan) }
    isBusy = model.isBusy
    notice = NoticeBox(model.notice)
  }
}

@MainActor
struct HomePage {
  let isLoading: Bool
  let hasFailed: Bool
  let bones = [1, 2, 3, 4]
  let specialists: [Specialist]
  let snackbar: String?

  init(_ model: HomeViewModel, snackbar: String?) {
    isLoading = model.content.isLoading
    hasFailed = model.content.hasFailed
    specialists = model.specialists ?? []
    self.snackbar = snackbar
  }
}

@MainActor
struct AppointmentsPage {
  let isLoading: Bool
  let hasFailed: Bool
  let isEmpty: Bool
  let bones = [1, 2]
  let rows: [AppointmentsViewModel.Row]
  let snackbar: String?

  init(_ model: AppointmentsViewModel, snackbar: String?) {
    isLoading = model.content.isLoading
    hasFailed = model.content.hasFailed
    isEmpty = model.rows?.isEmpty == true
    rows = model.rows ?? []
    self.snackbar = snackbar
  }
}

@MainActor
struct BookingPage {
  let specialist: Specialist
  let earliest: String
  let date: String
  let step = BookingViewModel.minutes * 60
  let button: String
  let isBusy: Bool
  let notice: NoticeBox?

  init(_ model: BookingViewModel, timeZone: TimeZone) {
    specialist = model.specialist
    earliest = CalendarText.text(model.earliest, in: timeZone)
    date = CalendarText.text(model.date, in: timeZone)
    button = model.buttonTitle
    isBusy = model.isBusy
    notice = NoticeBox(model.notice)
  }
}

@MainActor
struct CancellationPage {
  let reason: String
  let isBusy: Bool
  let notice: NoticeBox?

  init(_ model: CancellationViewModel) {
    reason = model.reason
    isBusy = model.isBusy
    notice = NoticeBox(model.notice)
  }
}
