#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

struct SignUpView: View {
  @Bindable var model: SignUpViewModel
  let onBack: @MainActor () async -> Void

  var body: some View {
    Form {
      LogoView()
      Text("Olá, boas-vindas!").font(.title.bold())
      field(.name, "Nome") { TextField("Insira seu nome completo", text: $model.name) }
      field(.email, "Email") { TextField("Insira seu email", text: $model.email) }
      field(.cpf, "CPF") { TextField("Insira seu CPF", text: $model.cpf) }
      field(.phoneNumber, "Telefone") {
        TextField("Insira seu telefone", text: $model.phoneNumber)
      }
      field(.password, "Senha") { SecureField("Insira sua senha", text: $model.password) }
      Picker("Selecione o seu plano de saúde", selection: $model.healthPlan) {
        ForEach(HealthPlan.all, id: \.self) { Text($0) }
      }
      Button("Cadastrar") {
        Task { await model.signUp() }
      }
      .disabled(model.isBusy)
      Button("Já possui uma conta? Faça o login!") {
        Task { await onBack() }
      }
    }
    .notice(model.notice) {
      let isDone = model.notice?.isSuccess == true
      model.closeNotice()
      if isDone { Task { await onBack() } }
    }
  }

  private func field(
    _ field: SignUpViewModel.Field,
    _ title: String,
    @ViewBuilder content: () -> some View
  ) -> some View {
    Section(title) {
      content()
      if let error = model.errors[field] {
        Text(error).font(.footnote).foregroundStyle(.red)
      }
    }
  }
}
#endif
