#if canImport(SwiftUI)
import OrderStatusCore
import SalesCore
import SwiftUI

/// The login at the sales provider.
struct SignInView: View {
  let model: OrderStatusViewModel
  @Bindable var signIn: SignInViewModel

  var body: some View {
    NavigationStack {
      Form {
        TextField("Email", text: $signIn.email)
          .textContentType(.username)
          .autocorrectionDisabled()
        SecureField("Password", text: $signIn.password)
          .textContentType(.password)
        if let error = signIn.error { Text(error).foregroundStyle(.red) }
        Button("Sign in") { Task { await model.signIn() } }
          .disabled(signIn.isBusy)
      }
      .navigationTitle("Order status")
    }
  }
}
#endif
