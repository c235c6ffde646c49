// What the options of an app must have.

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
