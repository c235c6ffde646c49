import Access
import Testing

@testable import ObjectStorage

@Suite struct BucketTests {
  @Test(arguments: [
    ("abc", true), ("p.appspot.com", true), ("a_b-c", true), ("ab", false), ("Abc", false),
    ("-abc", false), ("abc-", false), ("a..b", false), ("192.168.5.4", false), ("a b", false),
    (String(repeating: "a", count: 64), false), ("é12", false), ("", false),
  ])
  func `names are as Google has them`(name: String, isValid: Bool) {
    #expect(((try? BucketName(name)) != nil) == isValid)
  }

  @Test func `a project's default buckets are made on first use, others are not`() async throws {
    let fixture = try StorageFixture()
    _ = try await fixture.bucket("p.appspot.com")
    _ = try await fixture.bucket("p.firebasestorage.app")
    #expect(await code { _ = try await fixture.bucket("other") } == .notFound)
    let foreign = try fixture.permit("q.appspot.com", project: "p")
    #expect(await code { _ = try await fixture.storage.bucket(foreign) } == .notFound)
    #expect(try await fixture.storage.project(ofBucket: BucketName("q.appspot.com")) == "q")
    #expect(try await fixture.storage.project(ofBucket: BucketName("other")) == nil)
    try fixture.close()
  }

  @Test(arguments: [
    "delta.appspot.com", "delta.firebasestorage.app", "staging.delta.appspot.com",
  ])
  func `a name that belongs to a project by its form is no other project's`(
    name: String
  ) async throws {
    let fixture = try StorageFixture { $0.makesBuckets = true }
    let (storage, taken) = (fixture.storage, try fixture.permit(name, project: "alpha"))
    let admin = AccessControl.administratorPermit(atRest: fixture.databases)
    #expect(
      await code { _ = try await storage.makeBucket(taken, BucketConfiguration()) } == .conflict
    )
    #expect(await code { _ = try await storage.bucket(taken) } == .notFound)
    #expect(
      await code { _ = try await storage.importBucket(taken.bucket, BucketConfiguration(), admin) }
        == .conflict
    )
    let own = try fixture.permit(name, project: "delta")
    _ = try await storage.makeBucket(own, BucketConfiguration())
    #expect(try await storage.project(ofBucket: BucketName(name)) == "delta")
    try fixture.close()
  }

  @Test func `a bucket that another project took is nobody's until an operator assigns it`()
    async throws
  {
    let fixture = try StorageFixture()
    let (storage, name) = (fixture.storage, try BucketName("delta.appspot.com"))
    let (taker, owner) = (
      try fixture.permit("delta.appspot.com", project: "alpha"),
      try fixture.permit("delta.appspot.com", project: "delta")
    )
    try await fixture.takeBucket(name, for: "alpha")
    for permit in [taker, owner] {
      #expect(await code { _ = try await storage.bucket(permit) } == .notFound)
    }
    let admin = AccessControl.administratorPermit(atRest: fixture.databases)
    #expect(try await storage.buckets(of: "alpha", limit: 9, admin).isEmpty)
    let found = try await storage.verify(from: nil).found
    #expect(found.differences.count == 1)
    #expect(
      found.differences.first?.contains("brasa storage assign gs://delta.appspot.com") == true
    )
    #expect(try await storage.assignToOwner(name, admin).project == "delta")
    #expect(try await storage.bucket(owner).name == name)
    #expect(try await storage.buckets(of: "delta", limit: 9, admin).map(\.name) == [name])
    #expect(try await storage.verify(from: nil).found.differences == [])
    #expect(await code { _ = try await storage.assignToOwner(name, admin) } == .conflict)
    try fixture.close()
  }

  @Test func `an import gives default buckets the name of the project that takes them`() {
    let moved = BucketID(project: "old", name: "old.appspot.com").moved(to: "new")
    #expect(moved == BucketID(project: "new", name: "new.appspot.com"))
    let below = BucketID(project: "old", name: "staging.old.firebasestorage.app").moved(to: "new")
    #expect(below.name == "staging.new.firebasestorage.app")
    #expect(BucketID(project: "old", name: "photos").moved(to: "new").name == "photos")
  }

  @Test func `a look for a bucket makes none`() async throws {
    let fixture = try StorageFixture()
    #expect(try await fixture.storage.madeBucket(fixture.permit()) == nil)
    #expect(try await fixture.storage.storedBucket(BucketName("p.appspot.com")) == nil)
    _ = try await fixture.bucket()
    #expect(try await fixture.storage.madeBucket(fixture.permit()) != nil)
    try fixture.close()
  }

  @Test func `reading a bucket that was not made makes none, and finds nothing`() async throws {
    let fixture = try StorageFixture { $0.makesBuckets = true }
    for name in ["p.appspot.com", "other"] {
      let permit = try fixture.permit(name)
      let bucket = try await fixture.storage.readableBucket(permit)
      #expect(!bucket.stored.isMade)
      #expect(try await bucket.list(ObjectQuery()).objects.isEmpty)
      #expect(try await bucket.text("a") == nil)
      #expect(await code { try await bucket.delete(try ObjectName("a")) } == .notFound)
      #expect(await code { try await bucket.put("a", "1") } == .notFound)
      #expect(try await fixture.storage.storedBucket(bucket.name) == nil)
      try await fixture.storage.bucket(permit).put("a", "1")
      let made = try await fixture.storage.readableBucket(permit)
      #expect(made.stored.isMade)
      #expect(try await made.text("a") == "1")
    }
    let foreign = try fixture.permit("other", project: "q")
    #expect(await code { _ = try await fixture.storage.readableBucket(foreign) } == .notFound)
    try fixture.close()
  }

  @Test func `no project has a bucket of the name of multipart uploads`() async throws {
    let fixture = try StorageFixture { $0.makesBuckets = true }
    let permit = try fixture.permit(UploadPart.bucket)
    #expect(await code { _ = try await fixture.storage.bucket(permit) } == .notFound)
    #expect(
      await code { _ = try await fixture.storage.makeBucket(permit, BucketConfiguration()) }
        == .conflict
    )
    let own = try fixture.permit(UploadPart.bucket, project: UploadPart.project.string)
    _ = try await fixture.storage.makeBucket(own, BucketConfiguration())
    #expect(await code { _ = try await fixture.storage.bucket(permit) } == .notFound)
    try fixture.close()
  }

  @Test func `a bucket of another project is as if it were not there`() async throws {
    let fixture = try StorageFixture()
    _ = try await fixture.storage.makeBucket(fixture.permit("mine"), BucketConfiguration())
    let foreign = try fixture.permit("mine", project: "q")
    #expect(await code { _ = try await fixture.storage.bucket(foreign) } == .notFound)
    #expect(
      await code { _ = try await fixture.storage.makeBucket(foreign, BucketConfiguration()) }
        == .conflict
    )
    try fixture.close()
  }

  @Test func `only an empty bucket is deleted, and a new one of its name has nothing of it`()
    async throws
  {
    let fixture = try StorageFixture()
    let permit = try fixture.permit("mine")
    let bucket = try await fixture.storage.makeBucket(permit, BucketConfiguration())
    try await bucket.put("a", "1")
    #expect(await code { try await bucket.delete() } == .conflict)
    try await bucket.delete(try ObjectName("a"))
    try await bucket.delete()
    #expect(await code { try await bucket.put("a", "2") } == .notFound)
    let again = try await fixture.storage.makeBucket(permit, BucketConfiguration())
    #expect(try await again.text("a") == nil)
    #expect(await code { try await bucket.put("a", "2") } == .notFound)
    #expect(try await again.usage() == BucketUsage())
    try fixture.close()
  }

  @Test func `a bucket goes with what could be restored, but not with what is there`() async throws
  {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.softDeleteSeconds = 604_800 }
    for number in 0..<250 { try await bucket.put("\(number)", "text") }
    for number in 0..<249 { try await bucket.delete(try ObjectName("\(number)")) }
    #expect(await code { try await bucket.delete() } == .conflict)
    #expect(try await bucket.usage().objects == 250)
    try await bucket.delete(try ObjectName("249"))
    try await bucket.delete()
    #expect(try await fixture.storage.storedBucket(bucket.name) == nil)
    try await fixture.storage.sweep()
    #expect(try fixture.files() == (0, 0))
    #expect(try await fixture.storage.differences() == [])
    try fixture.close()
  }

  @Test func `what is set of a bucket is kept`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    var rule = LifecycleRule(.delete)
    rule.age = 0
    rule.isLive = false
    rule.newerVersions = 3
    rule.prefixes = ["a/", "b/"]
    rule.suffixes = [".jpg"]
    let wanted = rule
    let changed = try await bucket.update { configuration in
      configuration.isVersioned = true
      configuration.quotaBytes = 0
      configuration.softDeleteSeconds = 604_800
      configuration.lifecycle = [wanted]
      configuration.documents["cors"] = "[]"
    }
    #expect(changed.metageneration == 2)
    #expect(changed.configuration.lifecycle == [rule])
    let again = try await fixture.bucket()
    #expect(again.stored == changed)
    var first = BucketPreconditions()
    first.metageneration = 1
    var other = BucketPreconditions()
    other.notMetageneration = 2
    for conditions in [first, other] {
      #expect(
        await code { _ = try await bucket.update(conditions) { _ in } } == .conditionNotMet
      )
    }
    let everything = LifecycleRule(.delete)
    #expect(
      await code { _ = try await bucket.update { $0.lifecycle = [everything] } } == .invalid
    )
    #expect(
      await code { _ = try await bucket.update { $0.softDeleteSeconds = 5 } } == .invalid
    )
    try fixture.close()
  }

  @Test func `quotas of buckets and projects refuse what is too much`() async throws {
    let fixture = try StorageFixture { $0.projectQuotaBytes = 12 }
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.quotaBytes = 10 }
    try await bucket.put("a", "12345")
    #expect(await code { try await bucket.put("b", "123456") } == .quotaExceeded)
    #expect(await code { try await bucket.put("a", "1234567890") } == nil)
    let other = try await fixture.bucket("p.firebasestorage.app")
    #expect(await code { try await other.put("b", "123") } == .quotaExceeded)
    #expect(await code { try await other.put("b", "12") } == nil)
    #expect(try await bucket.text("a") == "1234567890")
    #expect(try await bucket.usage().bytes == 10)
    try await fixture.storage.sweep()
    #expect(try fixture.files() == (2, 0))
    try fixture.close()
  }
}
