import Authentication
import BaseText

/// An address of an app's own scheme, such as `com.example.shop:/signIn`, to which development leads back from a provider.
///
/// Any app may claim a scheme, so production leads back over https only. The scheme has the form of a reversed domain name
/// (RFC 8252, 7.1) or Firebase's `app-…`: no scheme of browsers and systems, such as `javascript` or `tel`, looks like that.
struct AppAddress {
  /// In lower case.
  let scheme: String
  let text: String

  private static let longest = 512

  /// Nil for any other text, and for an address with a query or a fragment.
  init?(_ text: String) {
    guard text.utf8.count <= Self.longest, let colon = text.firstIndex(of: ":"),
      text[text.index(after: colon)...].first == "/", text.utf8.allSatisfy(Self.isPlain)
    else { return nil }
    let scheme = text[..<colon].lowercased()
    guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
      scheme.utf8.allSatisfy(Self.isOfScheme),
      scheme.dropLast().contains(".") || scheme.hasPrefix("app-")
    else { return nil }
    self.scheme = scheme
    self.text = text
  }

  /// Visible ASCII that ends nothing in a header, a page or an address.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !Array("?#\\\"<>`".utf8).contains(byte)
  }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension IdentityService {
  /// The address of an app, in development; nil in production and for any other text.
  func appAddress(_ text: String) -> AppAddress? {
    environment.isDevelopment ? AppAddress(text) : nil
  }

  /// Refuses addresses of apps in production, and in development those of no iOS app of the project.
  ///
  /// A project without iOS apps takes every scheme that `AppAddress` does.
  func check(_ address: AppAddress, of project: Text) async throws {
    guard environment.isDevelopment else {
      throw AccountError(
        .unauthorizedDomain,
        "In production a sign-in must return over https. Register the iOS app with its team ID, and use "
          + "\(accounts.origin)/__/auth/handler."
      )
    }
    let accounts = accounts.project(project)
    let schemes = try await blocking {
      let client = try accounts.googleClientID()
      return try accounts.apps().filter { $0.platform == .ios }
        .map { $0.schemes(projectClientID: client) }
    }
    guard schemes.isEmpty || schemes.contains(where: { $0.contains(address.scheme) }) else {
      throw AccountError(
        .unauthorizedDomain,
        "No iOS app of the project has the scheme \(address.scheme): register one with that bundle ID."
      )
    }
  }
}
