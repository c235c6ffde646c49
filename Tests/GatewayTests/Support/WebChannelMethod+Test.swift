import FirestoreAPI
import FirestoreService
import FirestoreWire
import ServiceModule

@testable import Gateway

extension WebChannelMethod {
  /// A method of a service as a gateway serves it.
  static func test(_ method: RPCMethod, of service: any RPCService) -> WebChannelMethod {
    let metrics = GatewayMetrics(registry: MetricsRegistry())
    let module = ServiceModule.firestore(service, bodyLimit: 0)
    for candidate in module.methods where candidate.name == method.rawValue {
      if let found = WebChannelMethod(ServedMethod(candidate, metrics: metrics)) { return found }
    }
    preconditionFailure("\(method.rawValue) is no method of browsers")
  }
}
