/// What messaging needs of the network, from `BRASA_*` variables.
///
///     BRASA_PUSH_HOSTS         hosts of UnifiedPush to send to besides the browsers' services: host, host:port or
///                              *.domain, with commas
///     BRASA_PUSH_CA            a PEM file of authorities to trust besides the system's
///     BRASA_APNS_PRODUCTION, BRASA_APNS_SANDBOX    other URLs than Apple's, for trying it out
struct MessagingSettings: Sendable, Equatable {
  let pushHosts: [String]
  let authorities: String?
  let apnsProduction: String?
  let apnsSandbox: String?

  /// Reads the variables.
  init(_ environment: EnvironmentReader) {
    pushHosts = (environment.text("PUSH_HOSTS") ?? "").split(separator: ",").map { text in
      String(text.filter { $0 != " " })
    }
    authorities = environment.text("PUSH_CA")
    apnsProduction = environment.text("APNS_PRODUCTION")
    apnsSandbox = environment.text("APNS_SANDBOX")
  }
}
