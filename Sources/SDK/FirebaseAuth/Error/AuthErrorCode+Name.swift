// The names of errors in `userInfo`.

extension AuthErrorCode {
  /// The name, such as `ERROR_INVALID_EMAIL`.
  package var name: String {
    switch self {
    case .networkError: "ERROR_NETWORK_REQUEST_FAILED"
    case .missingAndroidPackageName: "ERROR_MISSING_ANDROID_PKG_NAME"
    case .appVerificationUserInteractionFailure: "ERROR_APP_VERIFICATION_FAILED"
    case .webSignInUserInteractionFailure: "ERROR_WEB_USER_INTERACTION_FAILURE"
    case .blockingCloudFunctionError: "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR"
    case .missingAppCredential: "MISSING_APP_CREDENTIAL"
    case .invalidAppCredential: "INVALID_APP_CREDENTIAL"
    default: "ERROR_" + words.replacing(" ", with: "_").uppercased()
    }
  }

  /// The words of the case: `invalidAPIKey` is `invalid API Key`.
  var words: String {
    let letters = Array("\(self)")
    var words = ""
    for (index, letter) in letters.enumerated() {
      let beginsWord =
        index > 0 && letter.isUppercase
        && (letters[index - 1].isLowercase
          || (index + 1 < letters.count && letters[index + 1].isLowercase))
      if beginsWord { words.append(" ") }
      words.append(letter)
    }
    return words
  }
}
