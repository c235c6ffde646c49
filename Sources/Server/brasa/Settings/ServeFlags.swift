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

  @Option(help: "The TCP port; 0 takes any free one. [BRASA_PORT, default: 8080]")
  var port: Int?

  @Option(help: "The directory that keeps the data. [BRASA_DATA, default: brasa-data]")
  var data: String?

  @Option(
    help: """
      Keep the store in a PostgreSQL database, such as postgres://user@host/database, instead of the data \
      directory. A password is better in the variable, or in libpq's files. [BRASA_STORE]
      """
  )
  var store: String?

  @Flag(
    help: """
      Serve the store together with other nodes, each started so, behind one address. docs/cluster.md says what is \
      served then. [BRASA_CLUSTER]
      """
  )
  var cluster = false

  @Flag(
    help: """
      Be the home node of a cluster while no other one is: serve files, messages, analytics, installations and the console, too, for \
      which the others pass their requests on to it. [BRASA_HOME_NODE]
      """
  )
  var home = false

  @Flag(
    name: .customLong("home-without-files"),
    help: ArgumentHelp(
      """
      Be the home node although the larger files of the last one are neither in files/ of the data directory nor on its server of S3: \
      they are missing then. [BRASA_HOME_WITHOUT_FILES]
      """
    )
  )
  var homeWithoutFiles = false

  @Option(
    help: """
      Where other nodes of the cluster reach this one, such as http://10.0.0.2:8080. [BRASA_NODE_ADDRESS, default: the \
      address and port, or the machine's name where it listens on all]
      """
  )
  var nodeAddress: String?

  @Option(
    help: """
      Where clients reach the server, such as https://brasa.example.org: what links in mail and key \
      files say. [BRASA_ORIGIN, default: the address and port]
      """
  )
  var origin: String?

  @Option(
    help: """
      Serve the metrics in cleartext at an address of their own, such as 127.0.0.1:9090, to everybody who reaches it. \
      [BRASA_METRICS_ADDRESS]
      """
  )
  var metricsAddress: String?

  @Option(
    help: """
      When tokens of disabled, deleted and revoked users end: immediate, or lazy, with the hour that a \
      token lives. [BRASA_REVOCATION, default: immediate]
      """
  )
  var revocation: BearerTokens.RevocationMode?

  @Flag(
    help: ArgumentHelp(
      """
      Take the machine's clock to be right although it stepped, or is more than half a year ahead of the store's last \
      write. [BRASA_ACCEPT_CLOCK]
      """
    )
  )
  var acceptClock = false

  @Flag(help: "Development mode: accept what emulators accept, check no credential. [BRASA_DEV]")
  var dev = false

  @Option(
    help: """
      The project of clients whose API key names none. [BRASA_PROJECT, default: in development the only \
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
      Let development mode listen beyond this machine; with host names and commas, answer to these names \
      too. [BRASA_ALLOW_REMOTE_DEV]
      """,
      valueName: "hosts"
    )
  )
  var allowRemoteDev: String? = nil

  @Option(
    help: """
      Origins with commas, such as http://app.test:3000, whose pages may do in development mode what \
      pages on localhost may. [BRASA_DEV_ORIGIN]
      """
  )
  var devOrigin: String?

  @Flag(
    help: "Refuse queries without their composite index in development too. [BRASA_REQUIRE_INDEXES]"
  )
  var requireIndexes = false

  @Option(
    help: """
      safe, or emulator: rules that tolerate a missing field then allow queries that do not name \
      it, as in Google's emulator. [BRASA_RULES_COMPATIBILITY, default: safe]
      """
  )
  var rulesCompatibility: ServeSettings.RulesCompatibility?

  @Option(
    defaultAsFlag: "true",
    parsing: .next,
    help: ArgumentHelp(
      """
      Serve functions; with --dev and a folder, deploy what is there whenever it changes. [BRASA_FUNCTIONS]
      """,
      valueName: "folder"
    )
  )
  var functions: String? = nil

  @Flag(name: .customLong("no-console"), help: "Serve no console. [BRASA_NO_CONSOLE]")
  var noConsole = false

  @Option(
    help: """
      Read the console's files from this directory instead of the program, for who works on them. \
      [BRASA_CONSOLE_DIRECTORY]
      """
  )
  var consoleDirectory: String?

  @Option(
    help: """
      Seconds for which a sign-in to the console allows what takes a recent one. \
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
      A directory with certificates of single hosts: HOST.pem and HOST-key.pem, or HOST/fullchain.pem and HOST/privkey.pem, which is \
      watched. Other hosts have that of --tls-certificate. [BRASA_TLS_DIRECTORY]
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
      Megabytes of memory for data that was read. [BRASA_CACHE, default: a sixteenth of the \
      machine's memory, between 64 and 1024]
      """
  )
  var cache: Int?

  @Option(
    help: """
      Megabytes that requests, answers and sessions of all clients may take. [BRASA_CLIENT_MEMORY, \
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
      Kilobytes of changes that wait for a listener that reads slowly, before it begins anew. \
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
