// The names of providers, of kinds of sign-in and of errors' members, as code of before the classes has them.

/// The domain of all errors of accounts.
public let AuthErrorDomain = AuthErrors.domain
/// The member of an error with its name, such as `ERROR_INVALID_EMAIL`.
public let AuthErrorUserInfoNameKey = AuthErrors.userInfoNameKey
/// The member of an error with the email address of the account that it is about.
public let AuthErrorUserInfoEmailKey = AuthErrors.userInfoEmailKey
/// The member of an error with a credential that can sign in.
public let AuthErrorUserInfoUpdatedCredentialKey = AuthErrors.userInfoUpdatedCredentialKey
/// The member of an error with the resolver of a sign-in that needs a second factor.
public let AuthErrorUserInfoMultiFactorResolverKey = AuthErrors.userInfoMultiFactorResolverKey

/// The provider of sign-ins by email address.
public let EmailAuthProviderID = EmailAuthProvider.id
/// The sign-in by a link in an email.
public let EmailLinkAuthSignInMethod = "emailLink"
/// The sign-in by email address and password.
public let EmailPasswordAuthSignInMethod = EmailAuthProvider.id
/// The provider Facebook.
public let FacebookAuthProviderID = FacebookAuthProvider.id
/// The sign-in at Facebook.
public let FacebookAuthSignInMethod = FacebookAuthProvider.id
/// The provider Game Center.
public let GameCenterAuthProviderID = GameCenterAuthProvider.id
/// The sign-in at Game Center.
public let GameCenterAuthSignInMethod = GameCenterAuthProvider.id
/// The provider GitHub.
public let GitHubAuthProviderID = GitHubAuthProvider.id
/// The sign-in at GitHub.
public let GitHubAuthSignInMethod = GitHubAuthProvider.id
/// The provider Google.
public let GoogleAuthProviderID = GoogleAuthProvider.id
/// The sign-in at Google.
public let GoogleAuthSignInMethod = GoogleAuthProvider.id
/// The provider of sign-ins by telephone number.
public let PhoneAuthProviderID = PhoneAuthProvider.id
/// The sign-in by telephone number.
public let PhoneAuthSignInMethod = PhoneAuthProvider.id
/// The provider Twitter.
public let TwitterAuthProviderID = TwitterAuthProvider.id
/// The sign-in at Twitter.
public let TwitterAuthSignInMethod = TwitterAuthProvider.id
