import ArgumentParser
import Authentication
import Console
import Foundation
import Gateway
import Logging
import ServiceModule

/// All settings of `brasa serve`: flags first, then `BRASA_*` variables, then defaults.
struct ServeSettings: Sendable, Equatable {
  var host: String
  var port: Int
  var dataDirectory: String
  var store: StoreLocation
  /// True if other nodes may serve the store as well.
  var isClustered: Bool
  /// True if this node of a cluster may be the primary.
  var isPrimaryCandidate: Bool
  /// True if it may be the primary without the files of the last one.
  var isPrimaryWithoutFiles: Bool
  /// The address at which other nodes reach this one; nil is the address that it listens on.
  var nodeAddress: String?
  var isDevelopment: Bool
  /// True if a step of the clock, or its distance from the last write, is right.
  var acceptsClock: Bool
  var requiresIndexes: Bool
  var tls: GatewayConfiguration.TLSFiles?
  /// The directory with certificates of single hosts; nil has one for all.
  var tlsDirectory: String?
  /// The directory with the challenges of an ACME client; nil serves none.
  var acmeDirectory: String?
  var logLevel: Logger.Level
  /// True if the machine's journal keeps the log, where no secret may be.
  var isLoggedToJournal: Bool
  /// Nil leaves it to `OpenDataDirectory`.
  var cacheMegabytes: Int?
  /// The size of the store's tables, for tests that need many of them; nil leaves it to the engine.
  var tableKilobytes: Int?
  /// The number of threads that read the store; nil leaves it to the number of cores.
  var engineThreads: Int?
  /// The amount of memory that clients may make the port hold.
  var clientMemory: ClientMemorySettings
  /// Kilobytes of changes that may wait for one listening client.
  var listenBacklogKilobytes: Int
  var webChannel: WebChannelSettings
  /// The address at which clients reach the server; links in mail and key files use it.
  var origin: String
  /// True if the operator named the origin.
  var hasNamedOrigin: Bool
  /// The domain below which sites have their hosts; nil where they have domains of their own alone.
  var sitesDomain: String?
  /// Names of the server beside its origin, in small letters.
  var serverHosts: Set<String>
  /// The address of a port for metrics alone; nil has none.
  var metricsAddress: ListenAddress?
  /// The storage of objects' bytes.
  var files: FileSettings
  /// The project of API keys that name none; nil leaves it to the mode.
  var project: String?
  /// The hosts and pages of development; nil in production.
  var developmentOrigins: DevelopmentOrigins?
  var revocation: BearerTokens.RevocationMode
  var rulesCompatibility: RulesCompatibility
  /// True if the console is served.
  var hasConsole: Bool
  /// The directory from which the console's files are read while it is developed; nil takes those
  /// of the program.
  var consoleDirectory: String?
  /// Seconds for which a sign-in to the console is recent.
  var recentSignIn: Int
  var identity: IdentitySettings
  var messaging: MessagingSettings
  var events: EventSettings
  /// The destination of the server's backup; nil means none.
  var backup: BackupSettings?
  var triggers: TriggerSettings
  /// The emulators' folder that development reads and writes.
  var seed: SeedSettings
  /// The settings for serving functions.
  var functions: FunctionSettings

  /// The way in which queries are proven by the rules.
  enum RulesCompatibility: String, Sendable, ExpressibleByArgument {
    /// A condition that some document may break is not proven.
    case safe
    /// As Google's emulator: fields that no filter names count as missing.
    case emulator
  }

  /// Merges the flags with the environment and refuses unsafe or contradictory settings.
  init(_ flags: ServeFlags, environment: [String: String]) throws {
    isLoggedToJournal = Journal.hasStandardError(environment["JOURNAL_STREAM"])
    let environment = EnvironmentReader(environment)
    host = try HostAddress.read(flags.host, environment)
    port = try flags.port ?? environment.number("PORT") ?? 8080
    dataDirectory = flags.data ?? environment.text("DATA") ?? "brasa-data"
    store = try StoreLocation(flags.store ?? environment.text("STORE"))
    isClustered = try flags.cluster || environment.flag("CLUSTER")
    isPrimaryCandidate = try flags.isPrimaryCandidate(environment)
    isPrimaryWithoutFiles = try flags.isPrimaryWithoutFiles(environment)
    nodeAddress = try (flags.nodeAddress ?? environment.text("NODE_ADDRESS")).map(NodeAddress.check)
    isDevelopment = try flags.dev || environment.flag("DEV")
    acceptsClock = try flags.acceptClock || environment.flag("ACCEPT_CLOCK")
    requiresIndexes = try flags.requireIndexes || environment.flag("REQUIRE_INDEXES")
    logLevel = try flags.logLevel ?? environment.level("LOG_LEVEL") ?? .info
    tls = try Self.tls(
      certificate: flags.tlsCertificate ?? environment.text("TLS_CERTIFICATE"),
      key: flags.tlsKey ?? environment.text("TLS_KEY")
    )
    tlsDirectory = flags.tlsDirectory ?? environment.text("TLS_DIRECTORY")
    acmeDirectory = flags.acmeDirectory ?? environment.text("ACME_DIRECTORY")
    hasNamedOrigin = (flags.origin ?? environment.text("ORIGIN")) != nil
    origin = try Self.origin(flags.origin ?? environment.text("ORIGIN"), host, port, tls != nil)
    sitesDomain = try Self.sitesDomain(
      flags.sitesDomain ?? environment.text("SITES_DOMAIN") ?? (isDevelopment ? "localhost" : nil),
      origin: isDevelopment ? nil : origin
    )
    serverHosts = Self.serverHosts(environment)
    metricsAddress = try (flags.metricsAddress ?? environment.text("METRICS_ADDRESS"))
      .map(Self.metricsAddress)
    revocation = try flags.revocation ?? environment.revocation("REVOCATION") ?? .immediate
    identity = try IdentitySettings(environment)
    messaging = try MessagingSettings(environment)
    events = try EventSettings(environment, isDevelopment: isDevelopment)
    triggers = TriggerSettings(environment, isDevelopment: isDevelopment)
    files = try FileSettings(environment)
    backup = try BackupSettings(flags.backup, environment)
    seed = try SeedSettings(flags.seed, environment, isDevelopment: isDevelopment)
    functions = try FunctionSettings(flags.functions, environment, isDevelopment: isDevelopment)
    cacheMegabytes = try flags.cache ?? environment.number("CACHE")
    tableKilobytes = try environment.number("TABLE_KILOBYTES")
    engineThreads = try flags.engineThreads ?? environment.number("ENGINE_THREADS")
    clientMemory = try ClientMemorySettings(flags.clientMemory, environment)
    listenBacklogKilobytes =
      try flags.listenBacklog ?? environment.number("LISTEN_BACKLOG") ?? 4_096
    webChannel = try WebChannelSettings(flags.webChannel, environment)
    rulesCompatibility =
      try flags.rulesCompatibility ?? environment.compatibility("RULES_COMPATIBILITY") ?? .safe
    hasConsole = try !flags.noConsole && !environment.flag("NO_CONSOLE")
    consoleDirectory = flags.consoleDirectory ?? environment.text("CONSOLE_DIRECTORY")
    recentSignIn =
      try flags.recentSignIn ?? environment.number("RECENT_SIGN_IN")
      ?? Int(Administrators.recentSignIn)
    project = flags.project ?? environment.text("PROJECT")
    let remote = try RemoteDevelopment(
      flags.allowRemoteDev ?? environment.text("ALLOW_REMOTE_DEV") ?? "false"
    )
    developmentOrigins = isDevelopment ? try Self.origins(flags, environment, remote, origin) : nil
    try check(remote)
  }

  private static func serverHosts(_ environment: EnvironmentReader) -> Set<String> {
    Set(commaSeparated(environment.text("SERVER_HOSTS") ?? "").map { $0.lowercased() })
  }

  private func check(_ remote: RemoteDevelopment) throws {
    try checkNumbers()
    try checkCluster()
    try checkReach(remote)
  }

  /// Throws where strangers would reach a development server, or certificates of sites have none beside them.
  private func checkReach(_ remote: RemoteDevelopment) throws {
    if tlsDirectory != nil, tls == nil {
      throw ValidationError(
        "--tls-directory also needs a certificate for all other hosts. Add --tls-certificate and --tls-key."
      )
    }
    if isDevelopment, !isLoopback, !remote.isAllowed {
      throw ValidationError(
        """
        Development mode lets everyone who reaches \(host) read and write everything. \
        Leave --host at 127.0.0.1, or use --allow-remote-dev if you want this.
        """
      )
    }
  }

  /// Throws where a number is out of its range.
  private func checkNumbers() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("The port must be between 0 and 65535, not \(port).")
    }
    if let tableKilobytes, !(64...1_048_576).contains(tableKilobytes) {
      throw ValidationError("BRASA_TABLE_KILOBYTES must be between 64 and 1048576.")
    }
    if let engineThreads, !(1...256).contains(engineThreads) {
      throw ValidationError("There must be between 1 and 256 engine threads.")
    }
    guard (16...1_048_576).contains(listenBacklogKilobytes) else {
      throw ValidationError("The listen backlog must have between 16 and 1048576 kilobytes.")
    }
    if let cacheMegabytes, !(8...1_048_576).contains(cacheMegabytes) {
      throw ValidationError("The cache must have between 8 and 1048576 megabytes.")
    }
    guard (1...43_200).contains(recentSignIn) else {
      throw ValidationError("--recent-sign-in must be between 1 and 43200 seconds.")
    }
  }

  /// Throws where an option of one node among several is given to a server that has its store alone.
  private func checkCluster() throws {
    if isClustered, store == .directory {
      throw ValidationError(
        "--cluster needs a store in PostgreSQL. Name it with --store postgres://…"
      )
    }
    if nodeAddress != nil, !isClustered {
      throw ValidationError("--node-address needs --cluster.")
    }
    if isPrimaryCandidate, !isClustered {
      throw ValidationError("--primary needs --cluster.")
    }
    if backup != nil, store != .directory {
      throw ValidationError(
        """
        --backup is for a store in the data directory. Back up a store in PostgreSQL by PostgreSQL's own tools, and the \
        folders files and events of the data directory by those of the file system.
        """
      )
    }
    if isPrimaryWithoutFiles, !isPrimaryCandidate {
      throw ValidationError("--primary-without-files needs --primary.")
    }
  }

  /// True if only this machine reaches the server.
  var isLoopback: Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// True where clients reach the server by a name beyond this machine: a proxy may listen for it, and make them look local.
  var isBehindProxy: Bool {
    hasNamedOrigin && !(HostName(ofOrigin: origin)?.isLoopback ?? false)
  }

  /// True unless this machine alone reaches the console, where administrators may do without a second factor.
  var requiresSecondFactor: Bool { !isLoopback || isBehindProxy }

  /// Names by which the console is asked, beside those of this machine; nil where every name may lead to it, over TLS or from elsewhere.
  ///
  /// Development's port as a whole responses to few names.
  var consoleHosts: Set<String>? {
    guard !isDevelopment, isLoopback, tls == nil else { return nil }
    return Set([HostName(ofOrigin: origin)].compactMap { $0?.text })
  }

  /// True if there is a console.
  ///
  /// The sessions of its administrators are in one node's memory: in a cluster it is the primary's.
  var servesConsole: Bool { hasConsole && (!isClustered || isPrimaryCandidate) }

  /// The warnings that the operator should read before anything else; empty when all is well.
  var warnings: [String] {
    var warnings: [String] = []
    if isDevelopment {
      warnings.append(
        "DEVELOPMENT MODE: no credential is checked; unsigned tokens and 'Bearer owner' count"
      )
      if !isLoopback {
        warnings.append(
          """
          the development server is reachable from other machines, and its tokens are unsigned: a back end that \
          accepts emulator tokens also accepts forged ones
          """
        )
      }
    } else if !isLoopback, tls == nil {
      warnings.append(
        """
        NO TLS on an address that other machines can reach: others can read and change the traffic, \
        and the administrator key is not accepted from there. Use --tls-certificate and \
        --tls-key
        """
      )
    }
    if isClustered, !isPrimaryCandidate {
      warnings.append(
        """
        ONE OF SEVERAL NODES: documents, rules, accounts and Remote Config are served here; files, messages, analytics and \
        installations are forwarded to the primary, which also serves the console
        """
      )
    }
    if isPrimaryCandidate {
      warnings.append(
        """
        ONE OF SEVERAL NODES, AND A CANDIDATE FOR PRIMARY: while it is the primary, it serves files, messages, analytics, \
        installations and the console. Events, and files that are not on an S3 server, are in its data directory
        """
      )
    }
    if rulesCompatibility == .emulator {
      warnings.append(
        "EMULATOR-COMPATIBLE RULES: a query may return documents that the rules deny when they are read alone"
      )
    }
    return warnings
  }

  /// The behaviour of accounts on this server.
  var accounts: AccountsConfiguration {
    var accounts = isDevelopment ? AccountsConfiguration.development : AccountsConfiguration()
    accounts.origin = origin
    // A seal is one process's: what one node of several issued, the others could not check.
    accounts.issuesUnsigned = isDevelopment && !isClustered
    return accounts
  }

  private static func origins(
    _ flags: ServeFlags,
    _ environment: EnvironmentReader,
    _ remote: RemoteDevelopment,
    _ origin: String
  ) throws -> DevelopmentOrigins {
    let own = URL(string: origin)?.host().map { [$0] } ?? []
    let pages = commaSeparated(flags.devOrigin ?? environment.text("DEV_ORIGIN") ?? "")
    for page in pages where page != "null" {
      guard let url = URL(string: page), url.scheme != nil, url.host() != nil, url.path().isEmpty
      else {
        throw ValidationError(
          "--dev-origin must be like http://app.test:3000, without a path, not \(page)."
        )
      }
    }
    return DevelopmentOrigins(hosts: remote.hosts.union(own), pages: pages)
  }

  private static func origin(
    _ named: String?,
    _ host: String,
    _ port: Int,
    _ isSecure: Bool
  ) throws -> String {
    guard let named else {
      let literal = host.contains(":") ? "[\(host)]" : host
      return "\(isSecure ? "https" : "http")://\(literal):\(port)"
    }
    guard let url = URL(string: named), url.scheme == "https" || url.scheme == "http",
      url.host() != nil, url.path().isEmpty, url.query() == nil, url.fragment() == nil
    else {
      throw ValidationError(
        "The origin must be like https://brasa.example.org, without a path, not \(named)."
      )
    }
    return named
  }

  /// Refuses a domain under which a site's page could set cookies for the console.
  private static func sitesDomain(_ domain: String?, origin: String?) throws -> String? {
    guard let domain = domain?.lowercased() else { return nil }
    guard HostName(ofAuthority: domain)?.text == domain, !domain.contains(":"),
      !(HostName(ofAuthority: domain)?.isNumeric ?? true)
    else {
      throw ValidationError(
        "--sites-domain must be a domain such as sites.example.net, not \(domain)."
      )
    }
    let own = origin.flatMap { HostName(ofOrigin: $0)?.text }
    if let own, domain == own || domain.hasSuffix("." + own) {
      throw ValidationError(
        "--sites-domain \(domain) is the console's host or below it: sites there could set its cookies. Choose another domain."
      )
    }
    return domain
  }

  private static func metricsAddress(_ text: String) throws -> ListenAddress {
    let colon = text.lastIndex(of: ":")
    let port = colon.flatMap { Int(text[text.index(after: $0)...]) }
    let host = colon.map { text[..<$0].filter { $0 != "[" && $0 != "]" } } ?? ""
    guard let port, (0...65_535).contains(port), !host.isEmpty else {
      throw ValidationError("--metrics-address must be like 127.0.0.1:9090, not \(text).")
    }
    return ListenAddress(host: host, port: port)
  }

  private static func tls(
    certificate: String?,
    key: String?
  ) throws -> GatewayConfiguration.TLSFiles? {
    switch (certificate, key) {
    case (nil, nil): nil
    case (let certificate?, let key?):
      GatewayConfiguration.TLSFiles(certificate: certificate, key: key)
    case (_?, nil), (nil, _?):
      throw ValidationError("--tls-certificate and --tls-key must be used together.")
    }
  }
}

/// The permission for development to listen beyond this machine, and the names of it that others
/// use.
struct RemoteDevelopment {
  let isAllowed: Bool
  let hosts: Set<String>

  /// Reads `true`, `false` or names of hosts with commas.
  init(_ text: String) throws {
    switch text.lowercased() {
    case "0", "false", "no", "off": (isAllowed, hosts) = (false, [])
    case "1", "true", "yes", "on": (isAllowed, hosts) = (true, [])
    default:
      (isAllowed, hosts) = (true, commaSeparated(text))
      guard hosts.allSatisfy({ !$0.contains("/") && !$0.contains(":") && !$0.contains(" ") }) else {
        throw ValidationError(
          "--allow-remote-dev needs host names separated by commas, not \(text)."
        )
      }
    }
  }
}

/// The parts of a list with commas, without the spaces around them.
private func commaSeparated(_ text: String) -> Set<String> {
  Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
}
