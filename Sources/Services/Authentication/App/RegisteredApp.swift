/// An app of a project: the source of its configuration file.
package struct RegisteredApp: Sendable, Hashable, Codable {
  /// The systems that apps are for; each names its apps in a way of its own.
  package enum Platform: String, Sendable, Codable, CaseIterable {
    case ios, web, android, linux

    /// True if its apps have an id of their own that only one app of a project has.
    package var hasBundleID: Bool { self == .ios || self == .android }
  }

  /// `1:{project number}:{platform}:{hexadecimal digits}`.
  package let id: String
  /// The system that the app runs on.
  package let platform: Platform
  /// The bundle's id on iOS, the package's name on Android; nil elsewhere.
  package let bundleID: String?
  /// The app's name for people, 1 to 100 characters; nil without one.
  package let displayName: String?
  /// Microseconds since 1970.
  package let createdAt: Int64
  /// The team at Apple whose certificate signs an iOS app; links open the app only with it.
  package var teamID: String?
  /// The SHA-256 fingerprints of the certificates that sign an Android app, as `keytool` prints them.
  package var fingerprints: [String]?
  /// The app's own OAuth client at Google (iOS): `CLIENT_ID` of its file, and an audience of sign-ins with Google.
  package var googleClientID: String?

  /// The number in the app's id, whose messages it takes.
  package var senderID: String {
    let parts = id.split(separator: ":")
    return parts.count > 1 ? String(parts[1]) : "0"
  }

  /// Refuses an app that lacks a member that its platform needs, or has an unknown one.
  func check() throws(AccountError) {
    guard displayName.map({ (1...100).contains($0.count) }) ?? true else {
      throw AccountError(.invalidConfiguration, "An app's name must have 1 to 100 characters.")
    }
    try checkSignatures()
    guard platform.hasBundleID else {
      guard bundleID == nil else {
        throw AccountError(.invalidConfiguration, "Only iOS and Android apps have a bundle ID.")
      }
      return
    }
    guard let bundleID, Self.isBundleID(bundleID) else {
      throw AccountError(
        .invalidConfiguration,
        "A bundle ID must consist of letters, digits, - and _, in parts with dots between them, such as com.example.shop."
      )
    }
  }

  private func checkSignatures() throws(AccountError) {
    if let teamID {
      guard platform == .ios, AppleKey.isIdentifier(teamID) else {
        throw AccountError(
          .invalidConfiguration,
          "Only iOS apps have a team ID: 10 capital letters and digits, such as A1B2C3D4E5."
        )
      }
    }
    if let googleClientID {
      guard platform == .ios, Self.isGoogleClient(googleClientID) else {
        throw AccountError(
          .invalidConfiguration,
          "Only iOS apps have their own Google client ID, such as 77-ios.apps.googleusercontent.com."
        )
      }
    }
    if let fingerprints {
      guard platform == .android, (1...20).contains(fingerprints.count),
        fingerprints.allSatisfy(Self.isFingerprint)
      else {
        throw AccountError(
          .invalidConfiguration,
          "Only Android apps have SHA-256 fingerprints: 32 bytes in hexadecimal with colons, at most 20."
        )
      }
    }
  }

  private static func isGoogleClient(_ text: String) -> Bool {
    let suffix = ".apps.googleusercontent.com"
    let name = text.utf8.dropLast(suffix.utf8.count)
    return text.hasSuffix(suffix) && (1...128).contains(name.count) && name.allSatisfy(isOfName)
  }

  /// The URL schemes that may open an iOS app, in lower case: its bundle ID, the reversed ID of a
  /// Google client, and `app-` with the app's ID, as in Google's SDKs.
  ///
  /// - Parameter projectClientID: The project's client of sign-ins with Google.
  package func schemes(projectClientID: String?) -> Set<String> {
    guard platform == .ios else { return [] }
    let clients = [googleClientID, projectClientID].compactMap(\.self).map(Self.reversed)
    let own = "app-" + id.split(separator: ":").joined(separator: "-")
    return Set((clients + [own, bundleID].compactMap(\.self)).map { $0.lowercased() })
  }

  /// A client's id with its parts in reverse, which is the scheme of the app's own addresses.
  package static func reversed(_ clientID: String) -> String {
    clientID.split(separator: ".").reversed().joined(separator: ".")
  }

  private static func isFingerprint(_ text: String) -> Bool {
    let bytes = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return bytes.count == 32
      && bytes.allSatisfy { byte in
        byte.count == 2
          && byte.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
      }
  }

  private static func isBundleID(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= 155 && parts.count > 1
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isOfName) }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
