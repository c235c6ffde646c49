/// What the path of a gRPC request names.
package enum GRPCPath: Sendable, Hashable {
  case firestore(RPCMethod)
  case healthCheck
  case healthWatch
  /// A method that nobody serves here; the answer is UNIMPLEMENTED.
  case unknown

  private static let firestorePrefix = "/google.firestore.v1.Firestore/"
  private static let healthPrefix = "/grpc.health.v1.Health/"

  private static let methods: [String: GRPCPath] = {
    var methods = [healthPrefix + "Check": healthCheck, healthPrefix + "Watch": healthWatch]
    for method in RPCMethod.allCases { methods[path(of: method)] = .firestore(method) }
    return methods
  }()

  /// Looks a `:path` up.
  package init(_ path: String) { self = Self.methods[path] ?? .unknown }

  /// The `:path` of a method.
  package static func path(of method: RPCMethod) -> String { firestorePrefix + method.rawValue }

  /// What a call of an unknown method is told.
  package static let unknownMethodMessage = "Method not found."
}
