import ExampleTesting
import FirebaseFirestore
import FirebaseStorage
import Foundation
import ProductsCore
import Testing

/// Tests of failures, and of the files that they leave in Storage.
@MainActor @Suite(.serialized) struct Products {
  private func upload(_ imageId: String, by app: RunningApp, _ person: String) async throws {
    let metadata = StorageMetadata()
    metadata.contentType = "image/jpeg"
    _ = try await app.storage.reference(withPath: "users/\(person)/\(imageId)")
      .putDataAsync(picture(9), metadata: metadata)
  }

  @Test func `a photo without a document goes at the next start, and no other one`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch("phone")
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await until { list.imageId(of: "Lamp") != nil }
    let kept = try #require(list.imageId(of: "Lamp"))
    let orphan = UUID().uuidString
    let journal = PhotoJournal(folder: test.folder.file("phone"))
    try await until { try await test.photos(of: list.person) == [kept] }
    try await upload(orphan, by: app, list.person)
    #expect(try await test.photos(of: list.person) == [kept, orphan].sorted())
    await app.quit()
    // As an app that ended between the upload and the document; one that runs answers what it finds noted at any time.
    try await journal.note([orphan, kept], of: list.person)
    let again = try test.launch("phone")
    let same = try await again.shownList()
    try await until { try await test.photos(of: same.person) == [kept] }
    var questions = try await journal.questions(of: same.person)
    while !questions.isEmpty { questions = try await journal.questions(of: same.person) }
    #expect(await same.photo(kept) == picture(1))
    await again.quit()
  }

  @Test func `an upload without metadata passes the rules, as the book has it`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch("phone")
    let list = try await app.signUp("ana")
    let file = app.storage.reference(withPath: "users/\(list.person)/photo")
    let stored = try await file.putDataAsync(picture(9), metadata: nil)
    #expect(stored.contentType == "application/octet-stream")
    #expect(try await file.data(maxSize: 1 << 20) == picture(9))
    // Another type is none of a photo's, and another person's folder stays closed.
    let page = StorageMetadata()
    page.contentType = "text/html"
    let other = app.storage.reference(withPath: "users/\(list.person)/page")
    await #expect(throws: StorageError.self) {
      try await other.putDataAsync(picture(9), metadata: page)
    }
    let foreign = app.storage.reference(withPath: "users/another/photo")
    await #expect(throws: StorageError.self) {
      try await foreign.putDataAsync(picture(9), metadata: nil)
    }
    await app.quit()
  }

  @Test func `an answer does not count for a photo that was noted again meanwhile`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let journal = PhotoJournal(folder: folder.url)
    try await journal.note(["one", "two"], of: "ana")
    let questions = try await journal.questions(of: "ana")
    try await journal.note(["one"], of: "ana")
    for question in questions { try await journal.forget(question) }
    let rest = try await PhotoJournal(folder: folder.url).questions(of: "ana")
    #expect(questions.map(\.imageId) == ["one", "two"] && rest.map(\.imageId) == ["one"])
    #expect(try await journal.questions(of: "bia").isEmpty)
  }

  @Test func `a failed upload stores nothing, says so and keeps the form`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch()
    let list = try await app.signUp("ana")
    test.brasa.stop()
    try await list.add("Lamp", code: "L1", photo: picture(1))
    let form = try #require(list.form)
    #expect(form.alert?.hasPrefix("The product couldn't be saved") == true && !form.isSaving)
    #expect(form.photo != nil && form.draft.name == "Lamp" && list.names == [])
    try test.brasa.start()
    form.dismissAlert()
    try await until { !list.isFromCache }
    await list.saveForm()
    try await until { list.names == ["Lamp"] && list.form == nil }
    try await until { try await test.photos(of: list.person) == [list.imageId(of: "Lamp")] }
    await app.quit()
  }

  @Test func `a product deleted without a connection takes its photo along later`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch("phone")
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await until { list.names == ["Lamp"] && !list.isFromCache }
    try await app.database.waitForPendingWrites()
    test.brasa.stop()
    await list.delete(try list.id(of: "Lamp"))
    try await until { list.names == [] }
    await app.quit()
    try test.brasa.start()
    let again = try test.launch("phone")
    let same = try await again.shownList()
    try await until { try await test.photos(of: same.person) == [] }
    #expect(same.names == [])
    await again.quit()
  }

  @Test func `a photo that could not be deleted goes when it is tried again`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let clock = ManualClock()
    let app = try test.launch(clock: clock)
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await until { list.imageId(of: "Lamp") != nil }
    let photo = try #require(list.imageId(of: "Lamp"))
    let kept = test.folder.file("kept.rules")
    try Data(
      """
      rules_version = '2';
      service firebase.storage {
        match /b/{bucket}/o { match /{file=**} { allow delete: if false; } }
      }
      """.utf8
    ).write(to: kept)
    try test.deployStorageRules(kept)
    await list.delete(try list.id(of: "Lamp"))
    try await until { list.names == [] }
    for _ in 0..<3 {
      await clock.waitForSleepers()
      #expect(try await test.photos(of: list.person) == [photo])
      clock.advance(by: .seconds(300))
    }
    await clock.waitForSleepers()
    try test.deployStorageRules()
    clock.advance(by: .seconds(300))
    try await until { try await test.photos(of: list.person) == [] }
    await app.quit()
  }

  @Test func `photos in question are looked into nine times more, after one wait at a time`() {
    var retries = PhotoRetries()
    var waits: [Duration] = []
    while let wait = retries.next() {
      #expect(retries.next() == nil)
      waits.append(wait)
      retries.begin()
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256].map { .seconds($0) })
    retries.reset()
    #expect(retries.next() == .seconds(1))
  }

  @Test func `a draft that is no product is not stored, nor a file that is no picture`()
    async throws
  {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch()
    let list = try await app.signUp("ana")
    for (name, code, price) in [("", "L1", "1"), ("Lamp", " ", "1"), ("Lamp", "L1", "much")] {
      try await list.add(name, code: code, price: price, photo: picture(1))
      #expect(list.form?.alert != nil && list.names == [])
      list.closeForm()
    }
    list.beginProduct()
    let form = try #require(list.form)
    form.choose(Data("%PDF-1.7".utf8))
    #expect(form.photo == nil && form.alert != nil)
    #expect(try await test.photos(of: list.person) == [])
    await app.quit()
  }

  @Test func `a product deleted elsewhere is not made anew by its open form`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let (phone, tablet) = (try test.launch(), try test.launch())
    let list = try await phone.signUp("ana")
    let other = try await tablet.logIn("ana")
    try await list.add("Lamp", code: "L1")
    try await until { other.names == ["Lamp"] }
    other.edit(try other.id(of: "Lamp"))
    await list.delete(try list.id(of: "Lamp"))
    try await until { other.names == [] }
    other.form?.choose(picture(1))
    await other.saveForm()
    try await until { other.error != nil }
    #expect(other.names == [] && list.names == [])
    try await until { try await test.photos(of: list.person) == [] }
    await phone.quit()
    await tablet.quit()
  }

  @Test func `a document that is no product is left out and counted`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch()
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1")
    try await app.database.collection("products").addDocument(
      data: ["userId": list.person, "name": "Half a product"]
    )
    try await until { list.skipped == 1 && list.names == ["Lamp"] }
    await app.quit()
  }

  @Test func `a list whose listener has ended is followed again when asked`() async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch()
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1")
    try await until { list.names == ["Lamp"] && !list.isFromCache }
    try test.deployRules(test.folder.closedRules())
    try await until { list.stopped != nil }
    #expect(list.names == ["Lamp"] && list.error == nil)
    list.tryAgain()
    try await until { list.stopped != nil }
    try test.deployRules()
    list.tryAgain()
    try await until { list.stopped == nil && !list.isFromCache && list.names == ["Lamp"] }
    try await list.add("Chair", code: "C1")
    try await until { list.names == ["Chair", "Lamp"] }
    await app.quit()
  }

  @Test(
    arguments: [
      ([0xff, 0xd8, 0xff, 0xe0], "image/jpeg"), ([0x89, 0x50, 0x4e, 0x47], "image/png"),
      ([0x47, 0x49, 0x46, 0x38], "image/gif"), ([0x25, 0x50, 0x44, 0x46], nil), ([], nil),
    ] as [([UInt8], String?)]
  )
  func `pictures are known by their first bytes`(bytes: [UInt8], type: String?) {
    #expect(Photo(Data(bytes))?.contentType == type)
    #expect(Photo(Data(bytes) + Data(count: Photo.largest)) == nil)
  }
}
