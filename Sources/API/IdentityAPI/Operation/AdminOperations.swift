/// The operations of administrators below `/v1/projects/P/accounts`.
enum AdminOperations {
  static let all: [String: IdentityOperation] = [
    "create": .init(shape: RequestShapes.signUp) { try await $0.create() },
    "lookup": .init(shape: RequestShapes.lookup) { try await $0.lookup() },
    "update": .init(shape: RequestShapes.update) { try await $0.update() },
    "delete": .init(shape: RequestShapes.delete) { try await $0.delete() },
    "query": .init(shape: RequestShapes.query) { try await $0.query() },
    "batchGet": .init(method: .get, shape: RequestShapes.empty) { try await $0.batchGet() },
    "batchCreate": .init(shape: RequestShapes.batchCreate) { try await $0.batchCreate() },
    "batchDelete": .init(shape: RequestShapes.batchDelete) { try await $0.batchDelete() },
    "sendOobCode": .init(shape: RequestShapes.sendOobCode) { try await $0.sendOobCode() },
    "createSessionCookie": .init(shape: RequestShapes.createSessionCookie) {
      try await $0.createSessionCookie()
    },
  ]
}
