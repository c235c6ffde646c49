import Observation
import RESTClient

/// The sign-up screen.
///
/// `Ok` on its notice leads to sign-in after a success; after a failure the form stays as it was
/// filled in.
@MainActor @Observable
package final class SignUpViewModel {
  package enum Field: String, CaseIterable, Sendable {
    case name, email, cpf, phoneNumber, password
  }

  package var name = ""
  package var email = ""
  package var cpf = ""
  package var phoneNumber = ""
  package var password = ""
  package var healthPlan = HealthPlan.all[0]
  package private(set) var errors: [Field: String] = [:]
  package private(set) var isBusy = false
  package private(set) var notice: Notice?

  @ObservationIgnored private let service: any AuthenticationService

  package init(service: any AuthenticationService) {
    self.service = service
  }

  package func signUp() async {
    errors = findErrors()
    guard errors.isEmpty, !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    do {
      try await service.signUp(patient)
      notice = .success("O paciente foi criado com sucesso!")
    } catch {
      notice = .failure(
        error.serverMessage ?? "Houve um erro ao cadastrar o paciente. Tente novamente mais tarde."
      )
    }
  }

  package func closeNotice() {
    notice = nil
  }

  /// CPF and phone are typed with or without punctuation and sent without.
  private var patient: NewPatient {
    NewPatient(
      cpf: cpf.filter(\.isNumber),
      name: name,
      email: email,
      password: password,
      phoneNumber: phoneNumber.filter(\.isNumber),
      healthPlan: healthPlan
    )
  }

  private func findErrors() -> [Field: String] {
    var errors: [Field: String] = [:]
    if name.allSatisfy(\.isWhitespace) { errors[.name] = "Insira seu nome completo" }
    if !email.contains("@") { errors[.email] = "Insira um e-mail válido" }
    if cpf.filter(\.isNumber).count != 11 { errors[.cpf] = "O CPF tem 11 dígitos" }
    if phoneNumber.filter(\.isNumber).isEmpty { errors[.phoneNumber] = "Insira seu telefone" }
    if password.isEmpty { errors[.password] = "Insira uma senha" }
    return errors
  }
}
