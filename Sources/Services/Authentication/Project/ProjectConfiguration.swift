/// The settings of one project.
package struct ProjectConfiguration: Sendable, Hashable, Codable {
  /// The project's name for its administrators, 1 to 100 characters; nil shows its id.
  package var displayName: String?
  /// True to let users sign in with email address and password.
  package var allowsPassword = true
  /// True to let users sign in by a link in an email.
  package var allowsEmailLink = true
  /// True to let clients make accounts without credentials.
  package var allowsAnonymous = false
  /// The setting for sign-in by phone, which the server stores and does not offer.
  package var allowsPhone = false
  /// True if clients may make accounts; false leaves that to administrators.
  package var allowsSignUp = true
  /// True if clients may delete their accounts.
  package var allowsDeletion = true
  /// True if responses hide which addresses have accounts: as the project was set, else by the
  /// server's mode.
  package var hidesAccounts: Bool {
    get { chosenToHideAccounts ?? hidesAccountsByDefault }
    set { chosenToHideAccounts = newValue }
  }
  /// Nil until the project sets it; the default is never stored as a choice.
  private var chosenToHideAccounts: Bool?
  /// The default of the server's mode, which the store does not keep.
  var hidesAccountsByDefault = true
  /// True to let users enrol time-based codes as a second factor; enrolled ones work either way.
  package var allowsTOTP = true
  /// The steps before and after the current one whose TOTP codes count, 0 to 10.
  package var adjacentIntervals = 1
  /// The rules for passwords that users choose.
  package var passwordPolicy = PasswordPolicy()
  /// Hosts that links may lead on to, beside what `authorizedDomains(of:)` adds.
  package var authorizedDomains = ["localhost", "127.0.0.1"]
  /// True to add the project's names at Firebase's hosting.
  ///
  /// The owner of such a name gets the codes of links, so production leaves it to the operator.
  var authorizesFirebaseHosting = false
  /// The project's own texts for emails.
  package var mail = MailTemplates()
  /// The domain of links for apps on telephones, as the Admin SDKs set it; Brasa's links have the
  /// server's own.
  package var mobileLinksDomain: MobileLinksDomain?

  /// The domains that links for apps may have at Firebase.
  package enum MobileLinksDomain: String, Sendable, Hashable, Codable {
    case hosting = "HOSTING_DOMAIN"
    case dynamicLinks = "FIREBASE_DYNAMIC_LINK_DOMAIN"
  }

  /// Password and e-mail link, no anonymous accounts.
  package init() {}

  /// The settings of the Auth emulator: everything that works offline is allowed.
  package static var development: ProjectConfiguration {
    var configuration = ProjectConfiguration()
    configuration.allowsAnonymous = true
    configuration.allowsPhone = true
    configuration.hidesAccountsByDefault = false
    configuration.authorizesFirebaseHosting = true
    return configuration
  }

  /// Hosts that links of a project may lead on to.
  package func authorizedDomains(of project: String) -> [String] {
    guard authorizesFirebaseHosting else { return authorizedDomains }
    let own = ["\(project).firebaseapp.com", "\(project).web.app"]
    return authorizedDomains + own.filter { !authorizedDomains.contains($0) }
  }

  private enum CodingKeys: String, CodingKey {
    case displayName, allowsPassword, allowsEmailLink, allowsAnonymous, allowsPhone, allowsSignUp,
      allowsDeletion
    case allowsTOTP, adjacentIntervals, passwordPolicy, authorizedDomains, mail
    case mobileLinksDomain
    case chosenToHideAccounts = "hidesAccounts"
  }

  func check() throws(AccountError) {
    let lengths =
      passwordPolicy
      .minimumLength...max(
        passwordPolicy.minimumLength,
        passwordPolicy.maximumLength
      )
    guard 0...10 ~= adjacentIntervals, 6...30 ~= lengths.lowerBound,
      lengths.upperBound == passwordPolicy.maximumLength, lengths.upperBound <= 4_096
    else {
      throw AccountError(
        .invalidConfiguration,
        "A password's minimum length must be 6 to 30, its maximum length at most 4096, and adjacentIntervals 0 to 10."
      )
    }
  }
}

/// The texts of emails; `%LINK%`, `%EMAIL%`, `%NEW_EMAIL%` and `%APP_NAME%` are replaced.
package struct MailTemplates: Sendable, Hashable, Codable {
  /// The name for `%APP_NAME%`; nil takes the project's id.
  package var appName: String?
  /// Overrides by the name of the request type, such as `PASSWORD_RESET`.
  package var subjects: [String: String] = [:]
  /// Bodies in place of the server's, by the same names as `subjects`.
  package var bodies: [String: String] = [:]

  /// The server's own texts.
  package init() {}
}

/// The stored record of a project: its configuration and the secret of its password hashes.
struct ProjectRecord: Sendable, Codable {
  var configuration: ProjectConfiguration
  var signerKey: [UInt8]

  /// Sizes as Firebase has them.
  var passwordParameters: FirebaseScrypt {
    FirebaseScrypt(signerKey: signerKey, saltSeparator: [0x07])
  }
}
