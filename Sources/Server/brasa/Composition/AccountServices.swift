import Access
import Authentication
import BaseRuntime
import BaseText
import FirestoreService
import IdentityAPI
import Logging
import Outbound
import ServiceLifecycle
import ServiceModule

/// Accounts as a module: their API, threads of their own, and mail.
enum AccountServices {
  /// The account APIs of a server.
  ///
  /// - Parameter blocking: The functions that decide about sign-ins; nil where functions are off.
  static func module(
    _ core: ServerCore,
    blocking: (any BlockingTriggers)?
  ) throws -> ServiceModule {
    let (accounts, settings) = (core.accounts, core.settings)
    let identity = settings.identity
    let mail = try identity.mail.map { try queue($0) }
    let mailbox = settings.isDevelopment ? DevelopmentMailbox(log: Logger(label: "mailbox")) : nil
    var policy = FetchPolicy(
      hosts: identity.fetchHosts,
      allowsPrivateAddresses: identity.fetchesPrivate || settings.isDevelopment,
      allowsCleartextToLoopback: settings.isDevelopment
    )
    policy.authorities = identity.fetchAuthorities
    // More than may wait for a password's hash at once, so that other calls continue.
    let count = accounts.passwords.maximumLoad + ThreadCounts(cores: ThreadCounts.cores).reads
    let threads = EngineThreads(count: count, capacity: 1_024)
    var environment = IdentityEnvironment(
      accounts: accounts,
      access: core.access,
      mailer: mail ?? mailbox,
      mailbox: mailbox,
      providers: IdentityProviders(
        fetcher: HTTPSFetcher(policy: policy),
        configuration: accounts.configuration,
        secret: try accounts.providersSecret()
      ),
      defaultProject: settings.project.map { .named(Text($0)) }
        ?? (settings.isDevelopment ? .onlyOne : .none),
      projectsWithData: core.projectsWithData,
      isDevelopment: settings.isDevelopment
    )
    environment.blocking = blocking
    environment.developmentHosts = settings.developmentOrigins?.pageHosts ?? []
    var module = ServiceModule.accounts(environment, threads: threads)
    module.tasks = [
      ServiceTask("mail") {
        if let mail { await mail.run() } else { try? await gracefulShutdown() }
        threads.stop()
      }
    ]
    return module
  }

  private static func queue(_ mail: IdentitySettings.Mail) throws -> MailQueue {
    let login = mail.user.map { SMTPConfiguration.Login(user: $0, password: mail.password ?? "") }
    let encryption: SMTPConfiguration.Encryption =
      switch mail.encryption {
      case "immediate": .immediate
      case "none": .none
      default: .startTLS
      }
    var configuration = try SMTPConfiguration(
      host: mail.host,
      port: mail.port,
      encryption: encryption,
      login: login,
      sender: mail.sender,
      senderName: mail.senderName
    )
    configuration.authorities = mail.authorities
    return MailQueue(transport: try SMTPTransport(configuration), log: Logger(label: "mail"))
  }
}
