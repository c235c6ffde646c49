/// The destinations to which events may be sent, from `BRASA_*` variables.
///
///     BRASA_EVENT_HOSTS   hosts of subscriptions besides public ones by https: name or name:port, with commas; they may be
///                         inside the network and in cleartext
///     BRASA_EVENT_CA      a PEM file of authorities to trust instead of the system's
struct TriggerSettings: Sendable, Equatable {
  let hosts: [String]
  let authorities: String?

  /// Reads the variables; development allows this machine.
  init(_ environment: EnvironmentReader, isDevelopment: Bool) {
    let named = (environment.text("EVENT_HOSTS") ?? "").split(separator: ",").map { text in
      String(text.filter { $0 != " " })
    }
    hosts = named + (isDevelopment ? ["127.0.0.1", "localhost", "::1"] : [])
    authorities = environment.text("EVENT_CA")
  }
}
