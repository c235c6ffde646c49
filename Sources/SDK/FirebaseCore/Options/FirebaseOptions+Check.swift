// The required options of an app.

extension FirebaseOptions {
  /// Throws where an app cannot be configured with these options.
  func check() throws(FirebaseAppError) {
    let members = snapshot
    guard Self.isAppID(members.googleAppID) else {
      throw .invalidOptions(
        "Configuration fails. It may be caused by an invalid GOOGLE_APP_ID: "
          + "\"\(members.googleAppID)\"."
      )
    }
  }

  /// Returns the message to log if the options are another program's; nil if they are this one's or
  /// nothing is known.
  func bundleMismatch(with program: String?) -> String? {
    let named = snapshot.bundleID
    guard let program, !named.isEmpty, named != program else { return nil }
    return
      "The options are of the app \(named) and this one is \(program). What the server sends to an app by "
      + "its bundle ID does not arrive; register this app and take its options."
  }

  /// `1:<digits>:<platform>:<hexadecimal digits>`; other leading versions are let through.
  static func isAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let version = parts.first, !version.isEmpty, version.allSatisfy(\.isNumber) else {
      return false
    }
    guard version == "1" else { return true }
    guard parts.count == 4 else { return false }
    let isPlatform = !parts[2].isEmpty && parts[2].allSatisfy(\.isLetter)
    return !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber) && isPlatform && !parts[3].isEmpty
      && parts[3].allSatisfy(\.isHexDigit)
  }
}
