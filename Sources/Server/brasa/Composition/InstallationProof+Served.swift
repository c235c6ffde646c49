import BaseRuntime
import Installations
import ServiceModule

extension InstallationProof {
  /// Proof by the tokens that the server gives to installations; development believes what a request says.
  static func served(_ shown: ShownTokens, isDevelopment: Bool) -> InstallationProof {
    InstallationProof(
      believes: isDevelopment,
      idOfSecret: InstallationTokens.id(provedBy:)
    ) { token in
      let now = MicrosecondClock.system.now() / 1_000_000
      return shown.installation(ofAuthToken: token, now: now).map {
        Installation(project: $0.project, id: $0.id, appID: $0.appID)
      }
    }
  }
}
