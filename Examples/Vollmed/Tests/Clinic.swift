import ExampleTesting
import Foundation
import RESTClient
import ServiceHost
import Testing

@testable import VollmedService

/// A running clinic whose clock the test sets.
struct TestClinic: Sendable {
  let url: URL
  let service: VollmedService
  let now: TestNow

  static let cpf = "52998224725"

  static func run(
    sample: Bool = true,
    mockFile: URL? = nil,
    _ body: @Sendable (TestClinic) async throws -> Void
  ) async throws {
    let now = TestNow()
    let service = try VollmedService(
      file: nil,
      passwords: PasswordHash(rounds: 16),
      mockFile: mockFile,
      now: { now.date }
    )
    if sample { try await service.addSampleData() }
    try await withServer(service.router()) { url in
      try await body(TestClinic(url: url, service: service, now: now))
    }
  }

  func signUp(cpf: String = cpf, email: String = "ana@example.com") async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/paciente",
      body: """
        {"cpf":"\(cpf)","nome":"Ana Lima","email":"\(email)","senha":"segredo","telefone":"011 9",\
        "planoSaude":"Amil"}
        """
    )
  }

  func logIn(
    _ email: String = "lucas@example.com",
    _ password: String = "senha123"
  ) async throws -> (id: String, token: String) {
    let reply = try await raw(
      .post,
      url,
      "/auth/login",
      body: #"{"email":"\#(email)","senha":"\#(password)"}"#
    )
    try #require(reply.status == 200)
    return (
      try #require(reply.object["id"] as? String), try #require(reply.object["token"] as? String)
    )
  }

  func specialists() async throws -> [String] {
    try await raw(.get, url, "/especialista").array.compactMap { $0["id"] as? String }
  }

  func book(
    _ date: String,
    patient: (id: String, token: String),
    specialist: String
  ) async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/consulta",
      token: patient.token,
      body: #"{"especialista":"\#(specialist)","paciente":"\#(patient.id)","data":"\#(date)"}"#
    )
  }

  func list(of patient: (id: String, token: String)) async throws -> [[String: Any]] {
    try await raw(.get, url, "/paciente/\(patient.id)/consultas", token: patient.token).array
  }
}
