import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import PontoService

/// The acceptance list 5e, over HTTP.
@Suite struct `Ponto service 5e` {
  private let sample = """
    {"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"1","longitude":"2"}}
    """

  @Test func `5e.1 a receipt is created, listed, deleted once`() async throws {
    try await withServer(PontoService(file: nil).router()) { url in
      #expect(try await raw(.get, url, "/recibos").text == "[]")
      let created = try await raw(.post, url, "/recibos", body: sample)
      #expect(created.status == 200 && created.object["status"] as? Bool == true)
      let id = try #require(created.object["id"] as? String)
      #expect(UUID(uuidString: id) != nil)
      let listed = try await raw(.get, url, "/recibos").array
      #expect(listed.count == 1 && listed.first?["data"] as? String == "22/10/2021 03:34")
      let place = listed.first?["localizacao"] as? [String: String]
      #expect(place == ["latitude": "1", "longitude": "2"])
      let deleted = try await raw(.delete, url, "/recibos/\(id)")
      #expect(deleted.status == 200 && deleted.text.isEmpty)
      let again = try await raw(.delete, url, "/recibos/\(id)")
      #expect(again.status == 404 && again.errorMessage != nil)
      #expect(try await raw(.get, url, "/").text.contains("href=\"/recibos\""))
    }
  }

  @Test func `5e.2 the same id is one receipt, and data survive a restart`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let file = folder.file("ponto.sqlite")
    let id = "3f91c769-a87a-4381-9637-39cac899f33f"
    try await withServer(PontoService(file: file).router()) { url in
      for (date, place) in [
        ("22/10/2021 08:40", "null"), ("22/10/2021 08:41", #"{"latitude":-23.5,"longitude":2}"#),
      ] {
        let reply = try await raw(
          .post,
          url,
          "/recibos",
          body:
            #"{"id":"\#(id.uppercased())","data":"\#(date)","status":true,"localizacao":\#(place)}"#
        )
        #expect(reply.status == 200 && reply.object["id"] as? String == id)
      }
    }
    try await withServer(PontoService(file: file).router()) { url in
      let listed = try await raw(.get, url, "/recibos").array
      #expect(listed.compactMap { $0["data"] as? String } == ["22/10/2021 08:41"])
      let place = listed.first?["localizacao"] as? [String: String]
      #expect(place == ["latitude": "-23.5", "longitude": "2"])
    }
  }

  @Test(arguments: [
    #"{"data":"2021-10-22T03:34","status":false}"#, #"{"data":"31/02/2021 03:34","status":false}"#,
    #"{"data":"22/10/2021 24:34","status":false}"#, #"{"status":false}"#,
    #"{"data":"22/10/2021 03:34"}"#, #"{"data":"22/10/2021 03:34","status":"x"}"#,
    #"{"id":null,"data":"22/10/2021 03:34","status":false}"#,
    #"{"id":"1","data":"22/10/2021 03:34","status":false}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"x","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"nan","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":true,"longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localização":{"latitude":"x","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":"#
      + #"{"latitude":"1.\#(String(repeating: "0", count: 40))","longitude":1}}"#,
    #"{"data":"２２/10/2021 03:34","status":false}"#, #"{"data":"٢٢/10/2021 03:34","status":false}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"0x1p3","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"1\u0000","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"１","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"1e999","longitude":1}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":"","longitude":1}}"#,
    // As lesson 3 speaks it, and does not print it.
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":{"latitude":0,"longitute":0}}"#,
    #"{"data":"22/10/2021 03:34","status":false,"localizacao":7}"#, "", "{", "[]", "null", "\u{0}",
  ])
  func `5e.2 unreadable receipts are 400 with a message`(body: String) async throws {
    try await withServer(PontoService(file: nil).router()) { url in
      let reply = try await raw(.post, url, "/recibos", body: body)
      #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false)
      #expect(try await raw(.get, url, "/recibos").text == "[]")
    }
  }

  @Test func `other faults have their codes`() async throws {
    try await withServer(PontoService(file: nil).router()) { url in
      let unreadable = try await raw(.delete, url, "/recibos/x")
      #expect(unreadable.status == 400 && unreadable.errorMessage == "O id não é um UUID")
      #expect(try await raw(.get, url, "/nada").status == 404)
      let large = "{\"data\":\"" + String(repeating: "x", count: 100_000) + "\"}"
      #expect(try await raw(.post, url, "/recibos", body: large).status == 413)
    }
  }
}
