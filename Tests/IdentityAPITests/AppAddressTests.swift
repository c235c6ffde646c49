import Testing

@testable import IdentityAPI

/// Addresses of apps' own schemes.
struct AppAddressTests {
  @Test(arguments: [
    ("com.example.shop://auth/handler", "com.example.shop"),
    ("COM.Example.Shop:/x", "com.example.shop"),
    ("com.googleusercontent.apps.77-web:/oauth2redirect", "com.googleusercontent.apps.77-web"),
    ("app-1-42-ios-ab://firebaseauth/link", "app-1-42-ios-ab"),
  ])
  func `an app's address has its scheme`(text: String, scheme: String) {
    #expect(AppAddress(text)?.scheme == scheme)
  }

  @Test(arguments: [
    "", "com.example.shop", "com.example.shop:x", "com.example.shop://a?b",
    "com.example.shop://a#b",
    "com.example.shop://a b", "com.example.shop://a\r\nset-cookie: x",
    "com.example.shop://<script>",
    "javascript:/x", "https://a.example/", "file:///x", "tel:/1", ".a:/x", "1.a:/x", "a.:/x",
    "com.exämple:/x", "com_a.b:/x",
  ])
  func `other texts are none`(text: String) {
    #expect(AppAddress(text) == nil)
  }
}
