import Access
import Authentication
import BaseText

/// The dependencies of the account APIs.
package struct IdentityEnvironment: Sendable {
  /// The accounts of all projects.
  package let accounts: Accounts
  /// The choke point that identifies callers and administrators.
  package let access: AccessControl
  /// The mailer that sends emails; nil if the server was started without one.
  package let mailer: (any Mailer)?
  /// Development's mailbox, which is the mailer then.
  package let mailbox: DevelopmentMailbox?
  /// The verifier of sign-ins with identity providers.
  package let providers: IdentityProviders
  /// The project of API keys that name none.
  package let defaultProject: DefaultProject
  /// The projects of which the server has a database or rules, and so expects their people.
  package let projectsWithData: @Sendable () throws -> Set<Text>
  /// True for a server in development mode, which serves the Auth emulator's paths too.
  package let isDevelopment: Bool
  /// Hosts of pages that development's operator named: they sign in as pages of authorized domains do.
  package var developmentHosts: [String] = []
  /// The functions that decide about sign-ins; nil on a server that serves none.
  package var blocking: (any BlockingTriggers)?
  /// The delay before too many attempts are refused, so that an immediate retry costs little; it
  /// ends early where the caller leaves.
  package var holdRefusal: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }

  /// Production's environment, or development's.
  package init(
    accounts: Accounts,
    access: AccessControl,
    mailer: (any Mailer)?,
    mailbox: DevelopmentMailbox?,
    providers: IdentityProviders,
    defaultProject: DefaultProject,
    projectsWithData: @escaping @Sendable () throws -> Set<Text>,
    isDevelopment: Bool
  ) {
    self.accounts = accounts
    self.access = access
    self.mailer = mailer
    self.mailbox = mailbox
    self.providers = providers
    self.defaultProject = defaultProject
    self.projectsWithData = projectsWithData
    self.isDevelopment = isDevelopment
  }

  /// Returns the mailer, or throws an error with the remedy for the operator.
  func requiredMailer() throws -> any Mailer {
    guard let mailer else {
      throw AccountError(
        .operationNotAllowed,
        "This server sends no email. Its operator must set BRASA_SMTP."
      )
    }
    return mailer
  }
}
