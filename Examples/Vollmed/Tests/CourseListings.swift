// swift-format-ignore-file
// The listings are the courses'.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The listings of the courses on MVVM and on errors beside the networking of `CourseTypes`: lessons 1 to 3,
/// and the exercise of lesson 2 on errors.
///
/// UI apart; `AuthenticationManager` is no singleton, as each test has its own service.
enum Listing {}

extension Listing {
  final class AuthenticationManager {
    var token: String?
    var patientID: String?

    func removeToken() { token = nil }
    func removePatientID() { patientID = nil }
  }

  struct WebService {
    let baseURL: String
    let authManager: AuthenticationManager

    // MVVM, lesson 4, the service that the course starts from
    func logoutPatient() async throws -> Bool {
      let endpoint = baseURL + "/auth/logout"

      guard let url = URL(string: endpoint) else {
        print("Erro na URL!")
        return false
      }

      guard let token = authManager.token else {
        print("Token não informado!")
        return false
      }
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.addValue("Bearer \(token)", forHTTPHeaderField: "Authorization")

      let (_, response) = try await URLSession.shared.data(for: request)

      if let httpResponse = response as? HTTPURLResponse, httpResponse.statusCode == 200 {
        return true
      }
      return false
    }

    // The course does not print it.
    func getAllSpecialists() async throws -> [Course.Specialist]? {
      guard let url = URL(string: baseURL + "/especialista") else { return nil }
      let (data, _) = try await URLSession.shared.data(from: url)
      return try JSONDecoder().decode([Course.Specialist].self, from: data)
    }
  }

  // MVVM, lessons 1 and 2
  struct HomeViewModel {

    // MARK: - Attributes

    let service: WebService
    var authManager: AuthenticationManager

    // MARK: - Class methods

    func getSpecialists() async throws -> [Course.Specialist] {
      do {
        if let fetchedSpecialists = try await service.getAllSpecialists() {
          return fetchedSpecialists
        }

        return []
      } catch {
        print("Ocorreu um problema para obter os especialistas")
        throw error
      }
    }

    func logout() async {
      do {
        let response = try await service.logoutPatient()
        if response {
          authManager.removeToken()
          authManager.removePatientID()
        }
      } catch {
        print("ocorreu um erro no logout: \(error)")
      }
    }
  }

  // MVVM, lesson 3, the exercise
  final class Consulta {
    var status: Course.Consulta.Status

    init(status: Course.Consulta.Status) { self.status = status }
  }

  class ConsultaViewModel {
    var consulta: Consulta?

    func confirmarConsulta() {
      guard let consulta = consulta else {
        return
      }

      consulta.status = .confirmada
    }
  }

  // Errors, lesson 2, the exercise
  enum RequestError: Error {
    case invalidURL
    case noResponse
    case invalidRequest
    case internalServerError
    case unauthorized
    case unknown
  }

  /// The exercise's client; `address` stands for that of the course's mock.
  struct ErrorsClient {
    let address: String

    func sendRequest<T: Decodable>(responseModel: T.Type?) async -> Result<T?, RequestError> {

      guard let url = URL(string: address) else {
        return .failure(.invalidURL)
      }

      do {
        let (data, response) = try await URLSession.shared.data(from: url)

        guard let httpResponse = response as? HTTPURLResponse else {
          return .failure(.noResponse)
        }

        switch httpResponse.statusCode {
        case 200..<300:
          let decodedResponse = try? JSONDecoder().decode(T.self, from: data)

          return .success(decodedResponse)
        case 400:
          return .failure(.invalidRequest)
        case 500:
          return .failure(.internalServerError)
        case 401:
          return .failure(.unauthorized)

        default:
          return .failure(.unknown)
        }
      } catch {
        return .failure(.unknown)
      }
    }
  }
}
