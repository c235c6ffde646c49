import BaseText

/// Decides about sign-ups and sign-ins before they happen: blocking functions.
///
/// Calls come on threads that may block. Whatever keeps a decision from being made refuses the sign-in.
package protocol SignInGate: Sendable {
  /// The steps of a project that are to be decided about; reads memory alone.
  func guardedSteps(of project: Text) -> Set<SignInStep>

  /// Decides about a step; throws the client's error if it is refused.
  ///
  /// - Parameter user: The user as the step would leave it.
  func decide(
    _ step: SignInStep,
    user: User,
    signIn: SignInFacts,
    project: Text
  ) throws(AccountError) -> SignInDecision
}

/// A step that may be decided about.
package enum SignInStep: String, Sendable, Hashable {
  /// An account is about to be made.
  case beforeCreate
  /// A session is about to begin.
  case beforeSignIn
}

/// The changes to a user whose sign-up or sign-in is allowed; nil leaves a member.
package struct SignInDecision: Sendable, Hashable {
  /// The name to show.
  package var displayName: String?
  /// The address of the picture.
  package var photoURL: String?
  /// True stops the account.
  package var isDisabled: Bool?
  /// True if the email address is the user's own.
  package var isEmailVerified: Bool?
  /// The claims of the account, as the text of a JSON object.
  package var customClaims: String?
  /// Claims of the session's tokens alone, as the text of a JSON object.
  package var sessionClaims: String?

  /// Leaves everything as it is.
  package init() {}

  /// The decision of a later step replaces the one of this step.
  mutating func merge(_ later: SignInDecision) {
    displayName = later.displayName ?? displayName
    photoURL = later.photoURL ?? photoURL
    isDisabled = later.isDisabled ?? isDisabled
    isEmailVerified = later.isEmailVerified ?? isEmailVerified
    customClaims = later.customClaims ?? customClaims
    sessionClaims = later.sessionClaims ?? sessionClaims
  }

  /// The user with the changes.
  func applied(to user: User) throws -> User {
    var user = user
    if let displayName {
      user.displayName = try ProjectAccounts.bounded(displayName, "DISPLAY_NAME")
    }
    if let photoURL { user.photoURL = try ProjectAccounts.bounded(photoURL, "PHOTO_URL") }
    if let isDisabled { user.isDisabled = isDisabled }
    if let isEmailVerified, user.email != nil { user.isEmailVerified = isEmailVerified }
    if let customClaims { user.customClaims = try CustomClaims.check(customClaims) }
    return user
  }
}

extension AccountError.Code {
  /// A blocking function refused, or its decision could not be had; the detail says which.
  package static let blockingFunction = Self(rawValue: "BLOCKING_FUNCTION_ERROR_RESPONSE")
}

extension ProjectAccounts {
  /// Thrown out of a write that only looks at what it would come to.
  private struct Foreseen: Error {
    let user: User
    let isNew: Bool
  }

  /// Has the project's blocking functions decide about a sign-in; nil where it has none.
  ///
  /// The user that `find` would return is computed in a write that is undone: the functions take
  /// their time, in which no write may be held up.
  func decision(
    on signIn: SignInFacts,
    isWhole: Bool,
    _ find: (UserGroup) throws -> (user: User, isNew: Bool)
  ) throws -> SignInDecision? {
    // As at Google, back ends' tokens and anonymous accounts pass.
    guard case .project(let project) = scope, let gate = accounts.gate,
      signIn.provider != "custom", signIn.provider != "anonymous"
    else { return nil }
    let steps = gate.guardedSteps(of: project)
    guard !steps.isEmpty else { return nil }
    let foreseen: Foreseen
    do {
      foreseen = try write { users throws -> Foreseen in
        let (user, isNew) = try find(users)
        throw Foreseen(user: user, isNew: isNew)
      }
    } catch let found as Foreseen {
      foreseen = found
    }
    guard !foreseen.user.isDisabled else { throw AccountError(.userDisabled) }
    var decision = SignInDecision()
    if foreseen.isNew, steps.contains(.beforeCreate) {
      decision = try gate.decide(
        .beforeCreate,
        user: foreseen.user,
        signIn: signIn,
        project: project
      )
      decision.sessionClaims = nil
    }
    let isComplete =
      isWhole || foreseen.user.secondFactors.isEmpty || signIn.secondFactor != nil
    if isComplete, steps.contains(.beforeSignIn) {
      let user = try decision.applied(to: foreseen.user)
      guard !user.isDisabled else { return decision }
      decision.merge(
        try gate.decide(.beforeSignIn, user: user, signIn: signIn, project: project)
      )
    }
    return decision
  }
}
