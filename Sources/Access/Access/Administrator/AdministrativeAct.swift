import BaseStatus
import BaseText

/// An act of administration that takes more than the editor's role of its project.
///
/// The one table of rights for every way to an act: routes of the console, routes of Google's APIs
/// and calls inside a batch ask it by name. Any other route needs the viewer's role if it is known
/// to change nothing, and otherwise the editor's. The command line is another matter: a user who
/// may open the data directory may do everything.
package enum AdministrativeAct: Sendable, Hashable, CaseIterable {
  /// Keys of service accounts, each of which is an administrator of all projects.
  case listKeys, makeKey, revokeKey
  /// A signature in a service account's name, which is as good as a key of it.
  case signAsServiceAccount
  /// Secrets by which a back end signs requests for the files of one project.
  case readSharedSecrets, changeSharedSecrets
  /// Keys by which a back end sends messages in the legacy form.
  case listServerKeys, changeServerKeys
  /// Credentials of push services.
  case changePushCredentials
  /// Sign-in methods, providers with their secrets, authorized domains and mails.
  case changeSignInMethods
  /// An app's connection with the server's address, which all projects share: the app receives their links.
  case associateApps
  case readAdministrators, changeAdministrators
  case readAuditTrail
  /// The server's requests with their callers and addresses, of all projects.
  case readRequestLog
  /// Exports, verifications and their list; an import takes a recent sign-in too, which its body says.
  case runJobs
  /// A look at data as a user, which changes nothing.
  case viewAsUser
  case deleteDatabase
  /// Triggers, whose addresses may hold secrets and receive all that they ask for.
  case readTriggers, changeTriggers
  /// A site with all its versions.
  case deleteSite
  /// A host name that leads to a site: host names are the server's, which all projects share.
  case connectDomain
  /// The deletion of users, and of what they did.
  case eraseUsers

  /// The rights that an act takes of an administrator who signed in.
  package struct Right: Sendable, Hashable {
    /// The least role that suffices.
    package let role: AdministratorRole
    /// True where the role has to be the one for the server; otherwise the one in the project will do.
    package let isOfServer: Bool
    /// True where the sign-in has to be recent.
    package let takesRecentSignIn: Bool
  }

  /// The rights that this act takes.
  package var right: Right {
    switch self {
    case .listKeys, .readSharedSecrets, .readAdministrators, .readAuditTrail, .runJobs:
      Right(role: .owner, isOfServer: true, takesRecentSignIn: false)
    case .makeKey, .revokeKey, .signAsServiceAccount, .changeSharedSecrets, .changeAdministrators,
      .associateApps, .connectDomain:
      Right(role: .owner, isOfServer: true, takesRecentSignIn: true)
    case .listServerKeys, .viewAsUser, .readTriggers:
      Right(role: .owner, isOfServer: false, takesRecentSignIn: false)
    case .changeServerKeys, .changePushCredentials, .changeSignInMethods, .deleteDatabase,
      .changeTriggers, .deleteSite:
      Right(role: .owner, isOfServer: false, takesRecentSignIn: true)
    case .readRequestLog: Right(role: .editor, isOfServer: true, takesRecentSignIn: false)
    case .eraseUsers: Right(role: .editor, isOfServer: false, takesRecentSignIn: true)
    }
  }
}

extension AccessControl {
  /// The caller of an act; throws PERMISSION_DENIED to everybody whose rights the table does not give it.
  ///
  /// It holds whichever route led here: a route's own demand may be less. May wait for the disk.
  package func caller(
    for act: AdministrativeAct,
    of project: Text,
    _ context: CallContext
  ) throws(ServiceError) -> Caller {
    let right = act.right
    let caller = try identify(context.demanding(right.role, isRecent: right.takesRecentSignIn))
    try requireAdministration(caller, of: right.isOfServer ? nil : project)
    return caller
  }
}

extension CallContext {
  /// The context of a call that takes at least that role, and a recent sign-in where it says so.
  package func demanding(_ role: AdministratorRole, isRecent: Bool) -> CallContext {
    var context = self
    context.demand = max(demand, role)
    context.takesRecentSignIn = takesRecentSignIn || isRecent
    return context
  }
}
