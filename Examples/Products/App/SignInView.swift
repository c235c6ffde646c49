#if canImport(SwiftUI)
import FirebaseUI
import ProductsCore
import SwiftUI

/// The providers' buttons, and email with password.
struct SignInView: View {
  @Bindable var model: SignInViewModel
  @State private var password = ""
  @State private var showsProviders = false

  var body: some View {
    NavigationStack {
      Form {
        #if canImport(UIKit)
        Section { Button("Sign in with a provider") { showsProviders = true } }
        #endif
        Section("Email") {
          TextField("Email", text: $model.email).textContentType(.username)
          SecureField("Password", text: $password).textContentType(.password)
          if let error = model.error { Text(error).foregroundStyle(.red) }
        }
        Section {
          Button("Sign in") { Task { await model.signIn(password: password) } }
          Button("Create an account") { Task { await model.createAccount(password: password) } }
        }
        .disabled(model.isBusy)
      }
      .navigationTitle("Products")
    }
    #if canImport(UIKit)
    .sheet(isPresented: $showsProviders) { LoginView(authUI: model.authUI) }
    #endif
  }
}

#if canImport(UIKit)
/// FirebaseUI's screen with the providers.
struct LoginView: UIViewControllerRepresentable {
  let authUI: FUIAuth

  func makeUIViewController(context: Context) -> UIViewController { authUI.authViewController() }

  func updateUIViewController(_ controller: UIViewController, context: Context) {}
}
#endif
#endif
