import Access
import ConfigAPI
import FirestoreAPI
import FirestoreService
import Gateway
import HostingAPI
import Installations
import InstallationsAPI
import Logging
import MessagingAPI
import RulesAPI
import ServiceModule

extension ServedProducts {
  /// The products as modules behind the port, in the order in which their tasks start: they end in the reverse order.
  ///
  /// A product that comes adds its line here, to those of every node or to those of the primary.
  func modules() throws -> [ServiceModule] {
    let shown = ShownTokens(installations)
    let proof = InstallationProof.served(shown, isDevelopment: core.settings.isDevelopment)
    var modules = try ofEveryNode(proof)
    let ofPrimary = try modulesOfPrimary(proof, shown)
    if let cluster = core.cluster {
      // Its tasks end after those of the services, which write until they end.
      modules.insert(cluster.homeModule(threads: core.threads), at: 0)
      modules += ofPrimary.map { $0.onPrimary(cluster.lease, passedOnBy: cluster.peers) }
    } else {
      modules += ofPrimary
    }
    modules.append(HostingServices.module(hosting, core: core, functions: functions?.siteCalls))
    let administration = FunctionServices.administration(core, functions?.host)
    modules.append(
      core.cluster.map { administration.onPrimary($0.lease, passedOnBy: $0.peers) }
        ?? administration
    )
    // Its instances end before what they call.
    if let functions { modules.append(functions.module) }
    if let directory = core.settings.acmeDirectory {
      modules.append(ACMEChallenges.module(directory, threads: core.threads))
    }
    if core.settings.isDevelopment {
      let operations = EmulatorOperations(access: core.access, threads: core.threads)
      modules.append(.firestoreEmulator(operations))
    }
    return modules
  }

  private func ofEveryNode(_ proof: InstallationProof) throws -> [ServiceModule] {
    let peers = core.cluster?.peers
    var eventsElsewhere: HTTPRoute.Passing?
    if let peers { eventsElsewhere = { try await peers.forwardToPrimary($0) } }
    return [
      .firestore(
        peers.map { ForwardingService(documents, on: $0.own, nodes: $0) } ?? documents,
        bodyLimit: GatewayConfiguration.Limits().messageBytes,
        metrics: { [documents] in documents.metrics }
      ),
      .rules(
        core.rules,
        access: core.access,
        threads: core.threads,
        isDevelopment: core.settings.isDevelopment
      ),
      try AccountServices.module(core, blocking: functions?.decisions),
      ManagementServices.module(core, hosting),
      .remoteConfig(
        templates,
        access: core.access,
        threads: core.threads,
        keys: core.keys,
        proof: proof,
        eventsElsewhere: eventsElsewhere,
        log: Logger(label: "remote config")
      ),
      .messagingScripts(),
    ]
  }

  /// The modules whose state is in the memory of one process or on one machine.
  private func modulesOfPrimary(
    _ proof: InstallationProof,
    _ shown: ShownTokens
  ) throws -> [ServiceModule] {
    [
      .installations(
        installations,
        keys: core.keys,
        threads: core.threads,
        perNetwork: core.settings.events.installationsPerNetwork,
        observer: messages
      ),
      AnalyticsServices.module(analytics, core: core, proof: proof, bus: bus),
      try MessagingServices.module(messages, core: core, shown: shown),
      files.module(access: core.access, accounts: core.accounts, threads: core.threads),
      EventServices.module(bus, core: core),
    ]
  }
}
