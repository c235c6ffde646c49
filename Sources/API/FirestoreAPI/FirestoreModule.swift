import BaseStatus
import FirestoreService
import FirestoreWire
import ServiceModule

extension ServiceModule {
  /// Firestore: the methods of `google.firestore.v1.Firestore` over gRPC, WebChannel and REST, and the
  /// administration API.
  ///
  /// - Parameters:
  ///   - bodyLimit: The largest REST body.
  ///   - metrics: Figures of what the service works with.
  package static func firestore(
    _ service: any RPCService,
    bodyLimit: Int,
    metrics: MetricsSource? = nil
  ) -> ServiceModule {
    var module = ServiceModule("firestore")
    module.metrics = metrics
    module.methods = RPCMethod.allCases.map { method in
      var served = ServiceMethod.firestore(method, of: service)
      served.isReading = method.isReading
      return served
    }
    module.routes = RESTRoutes(service: service, bodyLimit: bodyLimit).routes
    return module
  }

  /// Development mode's helper routes, which Google's emulator has too; see `EmulatorRoutes`.
  package static func firestoreEmulator(_ operations: EmulatorOperations) -> ServiceModule {
    var module = ServiceModule("firestore emulator")
    module.routes = EmulatorRoutes(operations: operations).routes
    return module
  }
}

extension ServiceMethod {
  /// The path of a method of Firestore's.
  static func path(of method: RPCMethod) -> String {
    "/google.firestore.v1.Firestore/\(method.rawValue)"
  }

  fileprivate static func firestore(
    _ method: RPCMethod,
    of service: any RPCService
  ) -> ServiceMethod {
    switch method.shape {
    case .unary:
      ServiceMethod(
        path: path(of: method),
        handler: .unary { service.unary(method, request: $0, context: $1, respond: $2) }
      )
    case .serverStreaming:
      ServiceMethod(
        path: path(of: method),
        handler: .serverStreaming { service.stream(method, request: $0, context: $1, respond: $2) }
      )
    case .bidirectional:
      ServiceMethod(
        path: path(of: method),
        json: .firestore(method),
        handler: .bidirectional { context, responses throws(ServiceError) in
          try service.open(method, context: context, responses: responses)
        }
      )
    }
  }
}

extension ServiceMethod.JSONForm {
  fileprivate static func firestore(_ method: RPCMethod) -> ServiceMethod.JSONForm {
    let transcoder = RESTTranscoder()
    return ServiceMethod.JSONForm(
      request: { json throws(ServiceError) in try transcoder.message(of: method, json: json) },
      response: { bytes throws(ServiceError) in try transcoder.json(of: method, response: bytes) }
    )
  }
}
