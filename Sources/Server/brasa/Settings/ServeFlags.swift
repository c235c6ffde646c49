import ArgumentParser
import Authentication
import Logging

/// The flags of `brasa serve`.
struct ServeFlags: ParsableArguments {
  @Option(help: "The address to listen on. [BRASA_LISTEN, default: 127.0.0.1]")
  var host: String?

  @Option(
    help: """
      The domain below which hosted sites have their hosts, such as sites.example.net: SITE.sites.example.net. It must not be the \
      host of --origin, nor below it. [BRASA_SITES_DOMAIN, default: localhost in development]
      """
  )
  var sitesDomain: String?

  @Option(help: "The TCP port; 0 chooses a free one. [BRASA_PORT, default: 8080]")
  var port: Int?

  @Option(help: "The data directory. [BRASA_DATA, default: brasa-data]")
  var data: String?

  @Option(
    help: """
      Keep the store in a PostgreSQL database, such as postgres://user@host/database, instead of the data \
      directory. Put a password into the variable or libpq's files. [BRASA_STORE]
      """
  )
  var store: String?

  @Flag(
    help: """
      Serve the store together with other nodes behind one address; start each with this flag. See docs/cluster.md for what is \
      served then. [BRASA_CLUSTER]
      """
  )
  var cluster = false

  @Flag(
    help: """
      Make this node a candidate for the primary, which also serves files, messages, analytics, installations and the console, to \
      which the other nodes forward those requests. [BRASA_PRIMARY]
      """
  )
  var primary = false

  /// The name of `primary` in 0.1.0.
  @Flag(help: .hidden)
  var home = false

  @Flag(
    name: .customLong("primary-without-files"),
    help: ArgumentHelp(
      """
      Become the primary even if the larger files of the last one are neither in files/ of the data directory nor on its S3 server: \
      those files are missing then. [BRASA_PRIMARY_WITHOUT_FILES]
      """
    )
  )
  var primaryWithoutFiles = false

  /// The name of `primaryWithoutFiles` in 0.1.0.
  @Flag(help: .hidden)
  var homeWithoutFiles = false

  @Option(
    help: """
      This node's address for the other nodes, such as http://10.0.0.2:8080. [BRASA_NODE_ADDRESS, default: the \
      address and port, or the machine's name if it listens on all addresses]
      """
  )
  var nodeAddress: String?

  @Option(
    help: """
      The server's address for clients, such as https://brasa.example.org, used in links in email and in key \
      files. [BRASA_ORIGIN, default: the address and port]
      """
  )
  var origin: String?

  @Option(
    help: """
      Serve the metrics in cleartext at a separate address, such as 127.0.0.1:9090, to anyone who can reach it. \
      [BRASA_METRICS_ADDRESS]
      """
  )
  var metricsAddress: String?

  @Option(
    help: """
      End the tokens of disabled, deleted and revoked users immediately (immediate), or when they expire within an \
      hour (lazy). [BRASA_REVOCATION, default: immediate]
      """
  )
  var revocation: BearerTokens.RevocationMode?

  @Flag(
    help: ArgumentHelp(
      """
      Accept the machine's clock even if it has jumped, or is more than half a year ahead of the store's last \
      write. [BRASA_ACCEPT_CLOCK]
      """
    )
  )
  var acceptClock = false

  @Flag(
    help:
      "Development mode: accept everything that emulators accept, without checking credentials. [BRASA_DEV]"
  )
  var dev = false

  @Option(
    help: """
      The project for clients with an API key that names none. [BRASA_PROJECT, default: in development the only \
      project there is, else demo-brasa]
      """
  )
  var project: String?

  @Option(
    name: .customLong("allow-remote-dev"),
    defaultAsFlag: "true",
    parsing: .next,
    help: ArgumentHelp(
      """
      Allow development mode to listen beyond this machine; with host names, separated by commas, also accept those names \
      in requests. [BRASA_ALLOW_REMOTE_DEV]
      """,
      valueName: "hosts"
    )
  )
  var allowRemoteDev: String? = nil

  @Option(
    help: """
      Origins, separated by commas, such as http://app.test:3000. In development mode their pages may do what \
      pages on localhost may. [BRASA_DEV_ORIGIN]
      """
  )
  var devOrigin: String?

  @Flag(
    help:
      "Also refuse queries without their composite index in development mode. [BRASA_REQUIRE_INDEXES]"
  )
  var requireIndexes = false

  @Option(
    help: """
      safe, or emulator: with emulator, rules that tolerate a missing field allow queries that do not filter \
      by it, as in Google's emulator. [BRASA_RULES_COMPATIBILITY, default: safe]
      """
  )
  var rulesCompatibility: ServeSettings.RulesCompatibility?

  @Option(
    defaultAsFlag: "true",
    parsing: .next,
    help: ArgumentHelp(
      """
      Serve functions; with --dev and a folder, deploy the folder whenever it changes. [BRASA_FUNCTIONS]
      """,
      valueName: "folder"
    )
  )
  var functions: String? = nil

  @Flag(name: .customLong("no-console"), help: "Do not serve the console. [BRASA_NO_CONSOLE]")
  var noConsole = false

  @Option(
    help: """
      Read the console's files from this directory instead of the program, for work on the console. \
      [BRASA_CONSOLE_DIRECTORY]
      """
  )
  var consoleDirectory: String?

  @Option(
    help: """
      Seconds after a sign-in to the console during which it counts as recent. \
      [BRASA_RECENT_SIGN_IN, default: 900]
      """
  )
  var recentSignIn: Int?

  @Option(help: "The certificate chain, a PEM file. [BRASA_TLS_CERTIFICATE]")
  var tlsCertificate: String?

  @Option(help: "The certificate's private key, a PEM file. [BRASA_TLS_KEY]")
  var tlsKey: String?

  @Option(
    help: """
      A directory with certificates for single hosts: HOST.pem and HOST-key.pem, or HOST/fullchain.pem and HOST/privkey.pem. It is \
      watched for changes. Other hosts use --tls-certificate. [BRASA_TLS_DIRECTORY]
      """
  )
  var tlsDirectory: String?

  @Option(
    help: """
      The directory in which an ACME client leaves its challenges, such as WEBROOT/.well-known/acme-challenge: its files are served \
      below that path under every host. [BRASA_ACME_DIRECTORY]
      """
  )
  var acmeDirectory: String?

  @Option(
    help: """
      Megabytes of memory for the read cache. [BRASA_CACHE, default: a sixteenth of the \
      machine's memory, between 64 and 1024]
      """
  )
  var cache: Int?

  @Option(
    help: """
      Megabytes of memory for the requests, responses and sessions of all clients. [BRASA_CLIENT_MEMORY, \
      default: an eighth of the machine's memory, between 128 and 2048]
      """
  )
  var clientMemory: Int?

  @Option(
    help: """
      Threads that read the store; half as many run long queries. [BRASA_ENGINE_THREADS, default: \
      two a core, between 4 and 64]
      """
  )
  var engineThreads: Int?

  @Option(
    help: """
      Kilobytes of changes to queue for a slow listener before it is restarted. \
      [BRASA_LISTEN_BACKLOG, default: 4096]
      """
  )
  var listenBacklog: Int?

  @OptionGroup var backup: BackupFlags

  @OptionGroup var seed: SeedFlags

  @OptionGroup var webChannel: WebChannelFlags

  @Option(
    help: "trace, debug, info, notice, warning, error or critical. [BRASA_LOG_LEVEL, default: info]"
  )
  var logLevel: Logger.Level?
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension BearerTokens.RevocationMode: ExpressibleByArgument {}

extension ServeFlags {
  /// True for a candidate for the primary, by either name of the flag and the variable.
  func isPrimaryCandidate(_ environment: EnvironmentReader) throws -> Bool {
    try primary || home || environment.flag("PRIMARY") || environment.flag("HOME_NODE")
  }

  /// True for one that may do without larger files of the last primary, by either name.
  func isPrimaryWithoutFiles(_ environment: EnvironmentReader) throws -> Bool {
    if try environment.flag("PRIMARY_WITHOUT_FILES") || environment.flag("HOME_WITHOUT_FILES") {
      return true
    }
    return primaryWithoutFiles || homeWithoutFiles
  }
}
