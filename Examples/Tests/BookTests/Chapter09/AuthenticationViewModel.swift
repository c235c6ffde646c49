// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import FirebaseUI
import Foundation

/// Chapter 9: sign-in.
enum Chapter09 {}

extension Chapter09 {
  // 9.7
  class AuthenticationViewModel: NSObject, ObservableObject, FUIAuthDelegate {
    @Published var isLoggedIn = false

    // Combine's own on Apple's systems.
    let objectWillChange = ObjectWillChange()

    // The scan lacks the backslash of the interpolation.
    func authUI(
      _ authUI: FUIAuth,
      didSignInWith authDataResult: AuthDataResult?,
      error: Error?
    ) {
      print(
        "Signed in as "
          + "\u{201c}\(String(describing: Auth.auth().currentUser?.displayName))\u{201d}"
      )
      if let _ = error {
        isLoggedIn = false
      } else {
        isLoggedIn = true
      }
    }

    override init() {
      super.init()

      let authUI = FUIAuth.defaultAuthUI()!

      let providers: [FUIAuthProvider] = [
        FUIGoogleAuth()
      ]

      authUI.providers = providers
      authUI.delegate = self

      if Auth.auth().currentUser != nil {
        isLoggedIn = true
      } else {
        isLoggedIn = false
      }
    }

    func signOut() {
      try? Auth.auth().signOut()
      isLoggedIn = false
    }
  }
}
