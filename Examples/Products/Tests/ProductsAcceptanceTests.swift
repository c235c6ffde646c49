import ExampleTesting
import FirebaseAnalytics
import FirebaseCore
import FirebaseFirestore
import FirebaseStorage
import Foundation
import ProductsCore
import Testing

/// The acceptance list 2e, by the app's view models against a real server in production mode.
@MainActor @Suite(.serialized) struct `Products 2e` {
  @Test func `2e.1 two accounts see disjoint lists`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let (ana, bia) = (try test.launch(), try test.launch())
    let hers = try await ana.signUp("ana")
    let other = try await bia.signUp("bia")
    try await hers.add("Lamp", code: "L1", photo: picture(1))
    try await other.add("Chair", code: "C1")
    try await until { hers.names == ["Lamp"] && other.names == ["Chair"] }
    let lamp = try hers.id(of: "Lamp")
    let photo = try #require(hers.imageId(of: "Lamp"))
    try await ana.database.waitForPendingWrites()
    let refusals = await Intruder(bia).attempts(on: hers.person, product: lamp, photo: photo)
    for (attempt, refusal) in refusals { #expect(refusal == .refused, "\(attempt)") }
    #expect(refusals.count == 19)
    #expect(await other.photo(photo) == nil)
    #expect(await hers.photo(photo) == picture(1))
    #expect(try await test.photos(of: hers.person) == [photo])
    // The intruder's own document is all that came of it.
    try await until { other.names == ["Chair", "x"] }
    #expect(hers.names == ["Lamp"] && hers.error == nil)
    await ana.quit()
    await bia.quit()
  }

  @Test func `2e.2 a change made elsewhere appears, sorted by name`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let (phone, tablet) = (try test.launch(), try test.launch())
    let list = try await phone.signUp("ana")
    let other = try await tablet.logIn("ana")
    for (name, code) in [("Lamp", "L1"), ("Chair", "C1"), ("Table", "T1")] {
      try await list.add(name, code: code, price: "10,5")
    }
    try await until { other.names == ["Chair", "Lamp", "Table"] }
    #expect(other.products?.map(\.price) == [10.5, 10.5, 10.5])
    other.edit(try other.id(of: "Chair"))
    other.form?.draft.name = "Wardrobe"
    await other.saveForm()
    #expect(other.form == nil)
    try await until { list.names == ["Lamp", "Table", "Wardrobe"] }
    await other.delete(try other.id(of: "Lamp"))
    try await until { list.names == ["Table", "Wardrobe"] && other.names == list.names }
    await phone.quit()
    await tablet.quit()
  }

  @Test func `2e.3 a row shows its photo, and files go with what named them`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch()
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await until { list.imageId(of: "Lamp").map(list.photos.contains) == true }
    let first = try #require(list.imageId(of: "Lamp"))
    #expect(await list.photo(first) == picture(1))
    list.edit(try list.id(of: "Lamp"))
    list.form?.choose(picture(2))
    await list.saveForm()
    try await until { list.imageId(of: "Lamp") != first }
    let second = try #require(list.imageId(of: "Lamp"))
    try await until { try await test.photos(of: list.person) == [second] }
    #expect(await list.photo(second) == picture(2))
    // A change without a new photo keeps the one that there is.
    list.edit(try list.id(of: "Lamp"))
    list.form?.draft.price = "3"
    await list.saveForm()
    try await until { list.products?.first?.price == 3 }
    #expect(list.imageId(of: "Lamp") == second)
    await list.delete(try list.id(of: "Lamp"))
    try await until { list.names == [] }
    try await until { try await test.photos(of: list.person) == [] }
    await app.quit()
  }

  @Test func `2e.4 the flag takes delete away after the interval and a restart`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch("phone")
    _ = try await app.signUp("ana")
    #expect(app.model.canDelete)
    await app.model.flags.refresh()
    await app.quit()
    let file = test.folder.file("off.json")
    try Data(#"{"parameters":{"delete_list_view":{"defaultValue":{"value":"false"}}}}"#.utf8).write(
      to: file
    )
    try test.brasa.run(["config", "publish", file.path, "--project", TestProducts.project])
    // Within the interval nobody asks.
    let soon = try test.launch("phone")
    await soon.model.flags.refresh()
    #expect(soon.model.canDelete)
    await soon.quit()
    let later = try test.launch("phone", fetchInterval: 0)
    try await until { !later.model.canDelete }
    await later.quit()
    // The next start knows it without asking.
    test.brasa.stop()
    let offline = try test.launch("phone")
    #expect(!offline.model.canDelete)
    await offline.quit()
  }

  @Test func `2e.4 in Brazil the flag is false`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let project = ["--project", TestProducts.project]
    let brazil = try test.brasa.run(["config", "evaluate", "--country", "BR"] + project)
    let portugal = try test.brasa.run(["config", "evaluate", "--country", "PT"] + project)
    #expect(brazil.contains("false") && brazil.contains("Brazil"))
    #expect(portugal.contains("true") && !portugal.contains("Brazil"))
  }

  @Test(.timeLimit(.minutes(10)))
  func `2e.5 the three events appear, with the code where stated`() async throws {
    try await withDefaultApp { try await Self.sendEvents() }
  }

  private static func sendEvents() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    // Events belong to the program: its default app sends them.
    let events = try FirebaseApp.configured(options: test.options("events"))
    let app = try test.launch()
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L-42")
    try await until { list.names == ["Lamp"] }
    list.edit(try list.id(of: "Lamp"))
    list.closeForm()
    await list.delete(try list.id(of: "Lamp"))
    // With 25 events a batch goes at once.
    for _ in 0..<25 { list.beginProduct() }
    let days = test.folder.file("days")
    let named = ["select_item", "attempt_delete_product"]
    var found: [String] = []
    // Other tests of this program add events of their own.
    while !each(of: named, isIn: found, with: "L-42") {
      try test.brasa.run(["analytics", "export", days.path, "--project", TestProducts.project])
      found = try unpacked(days).split(separator: "\n").map(String.init)
      await Task.yield()
    }
    let new = try #require(found.first { $0.contains("\"new_item\"") })
    #expect(!new.contains("item_id"))
    await app.quit()
    _ = await events.delete()
  }

  /// Returns true if each event was found with an item's code.
  private static func each(of names: [String], isIn lines: [String], with code: String) -> Bool {
    names.allSatisfy { name in
      lines.contains {
        $0.contains("\"\(name)\"") && $0.contains("item_id") && $0.contains("\"\(code)\"")
      }
    }
  }

  /// The lines of all days of an export.
  private static func unpacked(_ folder: URL) throws -> String {
    // An export without an event makes no folder.
    guard FileManager.default.fileExists(atPath: folder.path) else { return "" }
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".gz") }
    guard !files.isEmpty else { return "" }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc"] + files.map { folder.appending(path: $0).path }
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  @Test func `2e.6 a relaunch stays signed in, and log-out empties the list`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch("phone")
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await until { list.names == ["Lamp"] }
    await app.quit()
    let again = try test.launch("phone")
    let same = try await again.shownList()
    #expect(same.person == list.person)
    try await until { same.names == ["Lamp"] && same.photos.count == 1 }
    await again.model.signOut()
    #expect(again.signIn != nil && same.products == nil && same.photos.isEmpty)
    let next = try await again.signUp("bia")
    #expect(next.names == [] && next.person != list.person)
    await again.quit()
  }

  @Test func `2e.7 without a network the list and its photos still show`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch("phone")
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await list.add("Chair", code: "C1")
    try await until {
      list.names == ["Chair", "Lamp"] && list.photos.count == 1 && !list.isFromCache
    }
    try await app.database.waitForPendingWrites()
    await app.quit()
    test.brasa.stop()
    let offline = try test.launch("phone")
    let same = try await offline.shownList()
    try await until {
      same.names == ["Chair", "Lamp"] && same.photos.count == 1 && same.isFromCache
    }
    let photo = try #require(same.imageId(of: "Lamp"))
    #expect(await same.photo(photo) == picture(1))
    // What is stored now shows at once, and is sent later.
    try await same.add("Table", code: "T1")
    try await until { same.names == ["Chair", "Lamp", "Table"] }
    try test.brasa.start()
    try await until { !same.isFromCache }
    try await offline.database.waitForPendingWrites()
    let stored = try await offline.database.collection("products")
      .whereField("userId", isEqualTo: same.person).getDocuments(source: .server)
    #expect(stored.count == 3)
    await offline.quit()
  }
}
