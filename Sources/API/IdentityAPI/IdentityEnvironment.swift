import Access
import Authentication
import BaseText

/// What the account APIs depend on.
package struct IdentityEnvironment: Sendable {
  /// The accounts of all projects.
  package let accounts: Accounts
  /// The choke point, which says who calls and who is an administrator.
  package let access: AccessControl
  /// What sends emails; nil where the server was not told how.
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
  /// What the refusal of too many attempts waits for, so that who tries again at once costs little; it ends
  /// early where the caller leaves.
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

  /// What sends emails, or a refusal that names what the operator has to do.
  func requiredMailer() throws -> any Mailer {
    guard let mailer else {
      throw AccountError(
        .operationNotAllowed,
        "This server sends no mail: its operator has to set BRASA_SMTP."
      )
    }
    return mailer
  }
}
