import Access
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
    module.methods += AdminMethod.allCases.map { .administration($0, of: service) }
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

  /// A method of the administration API; a signed-in administrator of the console needs the role that the same call takes
  /// over REST.
  fileprivate static func administration(
    _ method: AdminMethod,
    of service: any RPCService
  ) -> ServiceMethod {
    let isGrave: Bool =
      switch method {
      case .deleteDatabase, .deleteBackup, .deleteBackupSchedule, .updateBackupSchedule: true
      default: false
      }
    let right = isGrave ? AdministrativeAct.deleteDatabase.right : nil
    let role = right?.role ?? (method.isReading ? .viewer : .editor)
    var served = ServiceMethod(
      path: method.path,
      handler: .unary { message, context, respond in
        service.administer(
          .grpc(method, message: message),
          context: context.demanding(role, isRecent: right?.takesRecentSignIn ?? false)
        ) { answer in
          respond(answer.flatMap { $0.map(Result.success) ?? .failure(Self.unknown(method)) })
        }
      }
    )
    served.isReading = method.isReading
    return served
  }

  private static func unknown(_ method: AdminMethod) -> ServiceError {
    ServiceError(.unimplemented, "The method \(method.rawValue) is not served.")
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
