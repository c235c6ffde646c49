import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import PontoCore
@testable import PontoService

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The course's receipt, without Core Data and the photo.
private struct Recibo {
  let status: Bool
  let data: Date
  let latitude: Double
  let longitude: Double

  /// Lesson 4's `serializa`, and the id of the next one.
  static func serializa(_ json: [String: Any]) -> (id: String, recibo: Recibo)? {
    guard let id = json["id"] as? String, let dataString = json["data"] as? String,
      let data = FormatadorDeData().getData(dataString),
      let status = json["status"] as? Bool
    else { return nil }
    guard let localizacao = json["localizacao"] as? [String: Any] else { return nil }
    let latitude = localizacao["latitude"] as? Double ?? 0.0
    let longitude = localizacao["longitude"] as? Double ?? 0.0
    return (id, Recibo(status: status, data: data, latitude: latitude, longitude: longitude))
  }
}

private struct FormatadorDeData {
  private var formatador: DateFormatter {
    let formatador = DateFormatter()
    formatador.timeZone = TimeZone(abbreviation: "GMT-3")
    formatador.dateFormat = "dd/MM/yyyy HH:mm"
    return formatador
  }

  func getData(_ data: Date) -> String { formatador.string(from: data) }
  func getData(_ data: String) -> Date? { formatador.date(from: data) }
}

/// The course's `ReciboService`, with the test's server for `http://localhost:8080/`.
private struct ReciboService {
  let baseURL: String

  /// Posts; true for any reply, as the course has it.
  func post(_ recibo: Recibo) async -> Bool {
    let parametros: [String: Any] = [
      "data": FormatadorDeData().getData(recibo.data),
      "status": recibo.status,
      "localizacao": [
        "latitude": recibo.latitude,
        "longitude": recibo.longitude,
      ],
    ]
    guard let body = try? JSONSerialization.data(withJSONObject: parametros, options: []),
      let url = URL(string: baseURL + "recibos")
    else { return false }
    var requisicao = URLRequest(url: url)
    requisicao.httpMethod = "POST"
    requisicao.setValue("application/json", forHTTPHeaderField: "Content-Type")
    requisicao.httpBody = body
    return await withCheckedContinuation { completion in
      URLSession.shared.dataTask(with: requisicao) { _, _, error in
        completion.resume(returning: error == nil)
      }.resume()
    }
  }

  func get() async throws -> [(id: String, recibo: Recibo)] {
    let url = try #require(URL(string: baseURL))
    let reply = try await raw(.get, url, "recibos", headers: ["Accept": "application/json"])
    let lista = try #require(reply.json as? [[String: Any]])
    return lista.compactMap(Recibo.serializa)
  }
}

/// The course's requests, byte for byte, and its own client.
struct CourseClientTests {
  /// The JSON that lesson 2 types in Postman; its key is written with accents.
  private static func sample(_ key: String) -> String {
    """
    {
        "data": "22/10/2021 03:34",
        "status": false,
        "\(key)": {
            "latitude": "199",
            "longitude": "2222"
        }
    }
    """
  }

  @Test(arguments: ["localização", "localizacao", "localizac\u{327}a\u{303}o"])
  func `lesson 2's receipt is stored as it is typed`(key: String) async throws {
    try await withServer(PontoService(file: nil).router()) { url in
      let saved = try await raw(.post, url, "/recibos", body: Self.sample(key))
      #expect(saved.status == 200)
      let id = try #require(saved.object["id"] as? String)
      let place = saved.object["localizacao"] as? [String: String]
      #expect(UUID(uuidString: id) != nil && place == ["latitude": "199", "longitude": "2222"])
      let listed = try await raw(.get, url, "/recibos")
      #expect(
        listed.array.count == 1 && listed.array.first?["data"] as? String == "22/10/2021 03:34"
      )
      #expect(listed.array.compactMap(Recibo.serializa).map(\.id) == [id])
      #expect(try await raw(.delete, url, "/recibos/\(id)").status == 200)
      #expect(try await raw(.get, url, "/recibos").text == "[]")
    }
  }

  @Test func `the course's app registers, lists and deletes`() async throws {
    try await withServer(PontoService(file: nil).router()) { url in
      let service = ReciboService(baseURL: url.absoluteString + "/")
      let moment = Date(timeIntervalSince1970: 1_634_884_440)
      let recibo = Recibo(status: false, data: moment, latitude: 0, longitude: 0)
      #expect(await service.post(recibo))
      #expect(await service.post(recibo))
      let recibos = try await service.get()
      #expect(recibos.count == 2 && recibos.allSatisfy { $0.recibo.status })
      #expect(recibos.allSatisfy { $0.recibo.data == moment && $0.recibo.latitude == 0 })
      for (id, _) in recibos {
        #expect(try await raw(.delete, url, "/recibos/\(id)").status == 200)
      }
      #expect(try await service.get().isEmpty)
    }
  }

  @Test func `the app refuses a place that is not on earth, and shows one that is stored`()
    async throws
  {
    try await withServer(PontoService(file: nil).router()) { url in
      _ = try await raw(.post, url, "/recibos", body: Self.sample("localizacao"))
      let device = try await TestDevice()
      defer { device.folder.remove() }
      let app = try await device.launch(network(url))
      await app.register(photo: nil, place: Place(latitude: 199, longitude: 2222))
      #expect(await app.clock.message == "A localização informada não existe")
      await app.select(.receipts)
      let place = await app.receipts.rows.map(\.receipt.place)
      #expect(place == [Place(latitude: 199, longitude: 2222)])
      #expect(place.first?.isOnEarth == false)
    }
  }
}
