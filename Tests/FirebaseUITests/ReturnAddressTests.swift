import FirebaseAuth
import FirebaseCore
import Foundation
import Testing

@testable import FirebaseUI

/// The addresses to which providers' pages lead back on phones.
struct ReturnAddressTests {
  @Test(arguments: [
    ("com.Example.Shop", nil, "com.example.shop"),
    ("", "77-ios.apps.googleusercontent.com", "com.googleusercontent.apps.77-ios"),
    ("shop", nil, "app-1-42-ios-ab"), ("com.exa_mple", nil, "app-1-42-ios-ab"),
    ("1.com", "77-ios.apps.googleusercontent.com", "com.googleusercontent.apps.77-ios"),
  ])
  func `an app has a scheme`(bundle: String, client: String?, scheme: String) {
    let found = FUIReturnAddress.scheme(bundleID: bundle, clientID: client, appID: "1:42:ios:ab")
    #expect(found == scheme)
  }

  @Test func `plain text returns by the scheme and TLS by the server's page`() throws {
    let options = FirebaseOptions(googleAppID: "1:42:ios:ab", gcmSenderID: "42")
    options.projectID = "shop"
    options.apiKey = "shop"
    options.bundleID = "com.example.shop"
    options.brasaHost = "https://db.example.com"
    let name = "return-\(UUID())"
    FirebaseApp.configure(name: name, options: options)
    let app = try #require(FirebaseApp.app(name: name))
    let auth = Auth.auth(app: app)
    let authUI = try #require(FUIAuth(uiWith: auth))
    let page = try #require(URL(string: "https://db.example.com/__/auth/handler"))
    #expect(try authUI.returnAddress() == .page(page))
    auth.useEmulator(withHost: "192.168.1.20", port: 8080)
    let own = try #require(URL(string: "com.example.shop://auth/handler"))
    #expect(try authUI.returnAddress() == .app(own))
  }
}
