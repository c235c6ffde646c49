/// A request of `brasa users`; `who` is a uid, an email address or a phone number.
enum UsersRequest: Codable, Sendable, Equatable {
  /// The account's password, if it has one, is the one line of the input.
  case create(NewAccount)
  case list
  case show(who: String)
  case setDisabled(who: String, Bool)
  /// The claims as a JSON object; an empty one takes them away.
  case setClaims(who: String, String)
  case delete(who: String)
  /// The accounts follow as lines; the parameters of their hashes are a JSON object.
  case `import`(parameters: String)
  /// Every account as a line.
  case export
  /// The parameters of the project's password hashes.
  case parameters
  /// The actions that apps may take, each as a line.
  case methods
  case setMethod(SignInMethod, isOn: Bool)
  /// A change of an identity provider; its secret, if it has one, is the one item of the input.
  case setProvider(ProviderChange)
  /// The project's policy for new passwords, a line for each part.
  case policy
  case setPolicy(PasswordPolicyChange)

  /// The properties of a new account.
  struct NewAccount: Codable, Sendable, Equatable {
    var uid: String?
    var email: String?
    var displayName: String?
    var phoneNumber: String?
    var isEmailVerified = false
    var isDisabled = false
    var hasPassword = false
  }
}
