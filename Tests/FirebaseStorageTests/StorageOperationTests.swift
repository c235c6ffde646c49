import FirebaseAuth
import FirebaseStorage
import Foundation
import Testing

/// Objects from upload to deletion, against a server.
@Suite
struct StorageOperationTests {
  @Test
  func `what is uploaded is downloaded again`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference().child("open/photos/Côte d'Azur+1.jpg")
    let bytes = StorageFixture.bytes(300_000)
    let metadata = try await reference.putDataAsync(bytes)
    #expect(metadata.md5Hash == "9YUaUdAi+rA7kopPCX12iQ==")
    #expect(metadata.size == 300_000)
    #expect(metadata.contentType == "image/jpeg")
    #expect(metadata.bucket == fixture.bucket)
    #expect(metadata.path == "open/photos/Côte d'Azur+1.jpg")
    #expect(metadata.name == "Côte d'Azur+1.jpg")
    #expect(metadata.isFile && metadata.metageneration == 1 && metadata.timeCreated != nil)
    #expect(try await reference.data(maxSize: 300_000) == bytes)
    #expect(try await reference.getMetadata() == metadata)
    let url = try await reference.downloadURL()
    let (read, status) = try await StorageFixture.read(url)
    #expect(read == bytes && status == 200)
    #expect(try fixture.storage.reference(for: url) == reference)
    #expect(fixture.storage.reference(forURL: "\(reference)") == reference)
    try await reference.delete()
    #expect(await storageFailure { _ = try await reference.getMetadata() } == .objectNotFound)
    #expect(await storageFailure { _ = try await reference.data(maxSize: 9) } == .objectNotFound)
    #expect(await storageFailure { try await reference.delete() } == .objectNotFound)
    try await fixture.remove()
  }

  @Test
  func `an object may be empty`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference(withPath: "open/empty")
    let metadata = try await reference.putDataAsync(Data())
    #expect(metadata.size == 0 && metadata.contentType == "application/octet-stream")
    #expect(try await reference.data(maxSize: 0).isEmpty)
    let file = fixture.directory.appendingPathComponent("new/folder/empty")
    #expect(try await reference.writeAsync(toFile: file) == file)
    #expect(try Data(contentsOf: file).isEmpty)
    try await fixture.remove()
  }

  @Test
  func `a file goes up and down in slices`() async throws {
    let fixture = try await StorageFixture(slice: 262_144)
    let bytes = StorageFixture.bytes(1_000_001)
    let file = fixture.directory.appendingPathComponent("up.png")
    try bytes.write(to: file)
    let reference = fixture.storage.reference(withPath: "open/up.png")
    let metadata = StorageMetadata()
    metadata.contentType = "image/x-own"
    metadata.customMetadata = ["from": "camera"]
    metadata.cacheControl = "public, max-age=60"
    let stored = try await reference.putFileAsync(from: file, metadata: metadata)
    #expect(stored.size == 1_000_001 && stored.contentType == "image/x-own")
    #expect(stored.customMetadata == ["from": "camera"])
    #expect(stored.cacheControl == "public, max-age=60")
    let copy = fixture.directory.appendingPathComponent("down.png")
    try Data("old".utf8).write(to: copy)
    _ = try await reference.writeAsync(toFile: copy)
    #expect(try Data(contentsOf: copy) == bytes)
    #expect(try await reference.data(maxSize: .max) == bytes)
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
    #expect(!files.contains { $0.hasSuffix(".part") })
    try await fixture.remove()
  }

  @Test
  func `only what changed of metadata is sent`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference(withPath: "open/a.txt")
    let first = StorageMetadata()
    first.customMetadata = ["a": "1", "b": "2"]
    first.contentLanguage = "pt"
    first.cacheControl = "no-store"
    let known = try await reference.putDataAsync(Data("a".utf8), metadata: first)
    // Somebody else changes what this client does not.
    let other = StorageMetadata()
    other.contentDisposition = "attachment"
    other.customMetadata = ["c": "3"]
    try await reference.updateMetadata(other)
    known.cacheControl = nil
    known.customMetadata?["a"] = nil
    known.customMetadata?["b"] = "two"
    let now = try await reference.updateMetadata(known)
    #expect(now.cacheControl == nil && now.contentLanguage == "pt")
    #expect(now.contentDisposition == "attachment" && now.contentType == "text/plain")
    #expect(now.customMetadata == ["b": "two", "c": "3"])
    #expect(now.metageneration == 3 && now.generation == known.generation)
    try await fixture.remove()
  }

  @Test
  func `lists come in pages or whole`() async throws {
    let fixture = try await StorageFixture()
    let root = fixture.storage.reference(withPath: "open")
    for name in ["a", "b", "c/d", "c/e", "f"] {
      _ = try await root.child(name).putDataAsync(Data(name.utf8))
    }
    let all = try await root.listAll()
    #expect(all.items.map(\.fullPath) == ["open/a", "open/b", "open/f"])
    #expect(all.prefixes.map(\.fullPath) == ["open/c"] && all.pageToken == nil)
    var names: [String] = []
    var page = try await root.list(maxResults: 2)
    #expect(page.items.count + page.prefixes.count == 2)
    names += (page.items + page.prefixes).map(\.name)
    while let token = page.pageToken {
      page = try await root.list(maxResults: 2, pageToken: token)
      names += (page.items + page.prefixes).map(\.name)
    }
    #expect(names.sorted() == ["a", "b", "c", "f"])
    for number in [Int64(0), 1_001, -1] {
      #expect(
        await storageFailure { _ = try await root.list(maxResults: number) } == .invalidArgument
      )
    }
    try await fixture.remove()
  }

  @Test
  func `people have folders of their own`() async throws {
    let fixture = try await StorageFixture()
    let user = try await fixture.auth.signInAnonymously().user
    let own = fixture.storage.reference().child("users/\(user.uid)/\(UUID().uuidString)")
    let others = fixture.storage.reference(withPath: "users/somebody/1")
    _ = try await own.putDataAsync(Data("photo".utf8))
    #expect(try await own.data(maxSize: 100) == Data("photo".utf8))
    #expect(await storageFailure { _ = try await others.putDataAsync(Data()) } == .unauthorized)
    #expect(await storageFailure { _ = try await others.data(maxSize: 9) } == .unauthorized)
    #expect(await storageFailure { _ = try await others.listAll() } == .unauthorized)
    try fixture.auth.signOut()
    do {
      _ = try await own.data(maxSize: 100)
      Issue.record("Nobody may read it.")
    } catch {
      let error = error as NSError
      #expect(error.domain == "FIRStorageErrorDomain" && error.code == -13021)
      #expect(error.userInfo["ResponseErrorCode"] as? Int == 403)
      #expect(error.userInfo["bucket"] as? String == fixture.bucket)
      #expect(error.userInfo["object"] as? String == own.fullPath)
      #expect((error.userInfo["ResponseBody"] as? String)?.contains("No READ permission.") == true)
    }
    try await fixture.remove()
  }

  @Test
  func `more than asked for is not downloaded`() async throws {
    let fixture = try await StorageFixture(slice: 65_536)
    let reference = fixture.storage.reference(withPath: "open/large")
    _ = try await reference.putDataAsync(StorageFixture.bytes(200_000))
    for limit in [Int64(0), 1, 65_536, 199_999] {
      do {
        _ = try await reference.data(maxSize: limit)
        Issue.record("\(limit) bytes are not enough.")
      } catch StorageError.downloadSizeExceeded(let total, let size) {
        #expect(total == 200_000 && size == limit)
      }
    }
    try await fixture.remove()
  }

  @Test
  func `the bucket itself is no object, and other buckets are not this one`() async throws {
    let fixture = try await StorageFixture()
    let root = fixture.storage.reference()
    #expect(root.fullPath.isEmpty && root.name.isEmpty && root.parent() == nil)
    #expect(await storageFailure { _ = try await root.putDataAsync(Data()) } == .invalidArgument)
    #expect(await storageFailure { _ = try await root.getMetadata() } == .invalidArgument)
    #expect(await storageFailure { _ = try await root.data(maxSize: 1) } == .invalidArgument)
    let url = try #require(URL(string: "gs://another/a"))
    #expect(await storageFailure { _ = try fixture.storage.reference(for: url) } == .bucketMismatch)
    let web = try #require(URL(string: "https://example.com/a"))
    #expect(await storageFailure { _ = try fixture.storage.reference(for: web) } == .pathError)
    let storage = Storage.storage(app: fixture.app)
    #expect(storage === Storage.storage(app: fixture.app, url: "gs://\(fixture.bucket)"))
    #expect(storage !== Storage.storage(app: fixture.app, url: "gs://another"))
    try await fixture.remove()
  }

  @Test
  func `files that cannot be read or written are told of`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference(withPath: "open/a")
    let missing = fixture.directory.appendingPathComponent("missing")
    #expect(
      await storageFailure { _ = try await reference.putFileAsync(from: missing) } == .unknown
    )
    #expect(
      await storageFailure { _ = try await reference.putFileAsync(from: fixture.directory) }
        == .unknown
    )
    _ = try await reference.putDataAsync(Data("a".utf8))
    // A directory is there, which no file takes the place of.
    #expect(
      await storageFailure { _ = try await reference.writeAsync(toFile: fixture.directory) }
        == .unknown
    )
    let kept = fixture.directory.appendingPathComponent("kept")
    try Data("kept".utf8).write(to: kept)
    let gone = fixture.storage.reference(withPath: "open/gone")
    #expect(
      await storageFailure { _ = try await gone.writeAsync(toFile: kept) } == .objectNotFound
    )
    #expect(try Data(contentsOf: kept) == Data("kept".utf8))
    try await fixture.remove()
  }
}
