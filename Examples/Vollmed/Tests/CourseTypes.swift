import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The courses' own types: the models of the starting project, and the networking that the courses
/// on MVVM and on errors print.
enum Course {
  struct Specialist: Identifiable, Codable {
    let id: String
    let name: String
    let crm: String
    let imageUrl: String
    let specialty: String
    let email: String
    let phoneNumber: String

    enum CodingKeys: String, CodingKey {
      case id
      case name = "nome"
      case crm
      case imageUrl = "imagem"
      case specialty = "especialidade"
      case email
      case phoneNumber = "telefone"
    }
  }

  struct Patient: Identifiable, Codable {
    let id: String?
    let cpf: String
    let name: String
    let email: String
    let password: String
    let phoneNumber: String
    let healthPlan: String

    enum CodingKeys: String, CodingKey {
      case id
      case cpf
      case name = "nome"
      case email
      case password = "senha"
      case phoneNumber = "telefone"
      case healthPlan = "planoSaude"
    }
  }

  struct LoginResponse: Identifiable, Codable {
    let auth: Bool
    let id: String
    let token: String
  }

  struct Appointment: Identifiable, Codable {
    let id: String
    let date: String
    let specialist: Specialist

    enum CodingKeys: String, CodingKey {
      case id
      case date = "data"
      case specialist = "especialista"
    }
  }

  struct ScheduleAppointmentResponse: Codable, Identifiable {
    let id: String
    let specialist: String
    let patient: String
    let date: String
    let reasonToCancel: String?

    enum CodingKeys: String, CodingKey {
      case id
      case specialist = "especialista"
      case patient = "paciente"
      case date = "data"
      case reasonToCancel = "motivoCancelamento"
    }
  }

  /// The appointment that the exercise of lesson 3 confirms.
  struct Consulta: Decodable {
    enum Status: String, Decodable {
      case agendada, confirmada, cancelada
    }

    let id: String
    var status: Status
  }

  enum RequestMethod: String {
    case delete = "DELETE"
    case get = "GET"
    case patch = "PATCH"
    case post = "POST"
    case put = "PUT"
  }

  enum RequestError: Error {
    case decode
    case invalidURL
    case noResponse
    case unauthorized
    case unknown
    case custom(error: [String: any Sendable]?)
    case internalServerError

    var customMessage: String {
      switch self {
      case .decode: return "erro de decodificação"
      case .unauthorized: return "sessão expirada"
      case .custom(let errorData):
        if let jsonError = errorData?["error"] as? [String: Any] {
          return jsonError["message"] as? String ?? ""
        }
        return "Ops! Ocorreu um erro ao carregar as informações"
      default: return "erro desconhecido"
      }
    }
  }

  protocol Endpoint: Sendable {
    var scheme: String { get }
    var host: String { get }
    var port: Int? { get }
    var path: String { get }
    var method: RequestMethod { get }
    var header: [String: String]? { get }
    var body: [String: String]? { get }
  }

  enum HomeEndpoint: Sendable {
    case getAllSpecialists(URL)
    case specialistsOfTheMock(URL)
    case logout(URL, token: String)
  }

  /// The endpoint of lesson 4's exercise; its body and header are those of the app's booking.
  struct AgendarConsultaEndpoint: Endpoint {
    let url: URL
    let header: [String: String]?
    let body: [String: String]?
    var path: String { "/consultas/agendar" }
    var method: RequestMethod { .post }
  }
}

extension Course.HomeEndpoint: Course.Endpoint {
  var url: URL {
    switch self {
    case .getAllSpecialists(let url), .specialistsOfTheMock(let url), .logout(let url, _): url
    }
  }

  var path: String {
    switch self {
    case .getAllSpecialists: "/especialista"
    case .specialistsOfTheMock: "/specialists"
    case .logout: "/auth/logout"
    }
  }

  var method: Course.RequestMethod {
    switch self {
    case .getAllSpecialists, .specialistsOfTheMock: .get
    case .logout: .post
    }
  }

  var header: [String: String]? {
    if case .logout(_, let token) = self { ["Authorization": "Bearer \(token)"] } else { nil }
  }

  var body: [String: String]? { nil }
}

/// The test's server stands for `localhost` and port 3000.
protocol Local {
  var url: URL { get }
}

extension Course.HomeEndpoint: Local {}
extension Course.AgendarConsultaEndpoint: Local {}

extension Course.Endpoint where Self: Local {
  var scheme: String { "http" }
  var host: String { url.host ?? "localhost" }
  var port: Int? { url.port }
}

protocol CourseHTTPClient {}

extension CourseHTTPClient {
  func sendRequest<T: Decodable & Sendable>(
    endpoint: some Course.Endpoint,
    responseModel: T.Type?
  ) async -> Result<T?, Course.RequestError> {
    var urlComponents = URLComponents()
    urlComponents.scheme = endpoint.scheme
    urlComponents.host = endpoint.host
    urlComponents.path = endpoint.path
    urlComponents.port = endpoint.port

    guard let url = urlComponents.url else {
      return .failure(.invalidURL)
    }

    var request = URLRequest(url: url)
    request.httpMethod = endpoint.method.rawValue
    request.allHTTPHeaderFields = endpoint.header

    if let body = endpoint.body {
      request.httpBody = try? JSONSerialization.data(withJSONObject: body)
    }
    do {
      let (data, response) = try await URLSession.shared.data(for: request)

      guard let response = response as? HTTPURLResponse else {
        return .failure(.noResponse)
      }

      switch response.statusCode {
      case 200...299:
        guard let responseModel = responseModel else {
          return .success(nil)
        }
        guard let decodedResponse = try? JSONDecoder().decode(responseModel, from: data) else {
          return .failure(.decode)
        }
        return .success(decodedResponse)
      case 400:
        let errorResponse = try? JSONSerialization.jsonObject(with: data) as? [String: any Sendable]
        return .failure(.custom(error: errorResponse))
      case 401: return .failure(.unauthorized)
      case 500: return .failure(.internalServerError)
      default: return .failure(.unknown)
      }
    } catch {
      return .failure(.unknown)
    }
  }
}
