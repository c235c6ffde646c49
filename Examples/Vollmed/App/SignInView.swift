#if canImport(SwiftUI)
import SwiftUI
import VollmedCore

struct SignInView: View {
  @Bindable var model: SignInViewModel
  let onSignUp: @MainActor () -> Void
  let onSignedIn: @MainActor () async -> Void

  var body: some View {
    Form {
      Section {
        LogoView()
        Text("Olá!").font(.title.bold())
        Text("Preencha para acessar sua conta.").foregroundStyle(.secondary)
      }
      Section("Email") {
        TextField("Insira seu email", text: $model.email)
          .textContentType(.username)
          .autocorrectionDisabled()
      }
      Section("Senha") {
        SecureField("Insira sua senha", text: $model.password)
          .textContentType(.password)
      }
      Button("Entrar") {
        Task {
          await model.signIn()
          await onSignedIn()
        }
      }
      .disabled(model.isBusy)
      Button("Ainda não possui uma conta? Cadastre-se.", action: onSignUp)
    }
    .notice(model.notice, onClose: model.closeNotice)
  }
}
#endif
