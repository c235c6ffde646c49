#if canImport(SwiftUI)
import SalesCore
import SwiftUI

struct SignInView: View {
  @Bindable var model: SignInViewModel
  let onSignedIn: @MainActor () async -> Void

  var body: some View {
    Form {
      TextField("E-mail", text: $model.email)
        .textContentType(.username)
        .autocorrectionDisabled()
      SecureField("Password", text: $model.password)
        .textContentType(.password)
      if let error = model.error {
        Text(error).foregroundStyle(.red)
      }
      Button("Sign in") {
        Task {
          await model.signIn()
          await onSignedIn()
        }
      }
      .disabled(model.isBusy)
    }
  }
}
#endif
