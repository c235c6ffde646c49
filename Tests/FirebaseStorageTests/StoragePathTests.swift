import FirebaseCore
import Foundation
import Testing

@testable import FirebaseStorage

/// Tests of the objects that URLs and paths name.
@Suite
struct StoragePathTests {
  @Test func `a bucket's URL of people is checked instead of trapping`() throws {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    let app = try FirebaseApp.configured(name: "s-\(UUID().uuidString)", options: options)
    for url in ["", "my-bucket", "gs://", "gs://bucket/object", "ftp://bucket"] {
      let error = #expect(throws: NSError.self) { try Storage.configured(app: app, url: url) }
      #expect(error?.domain == StorageErrorDomain)
    }
    // The options name no bucket.
    #expect(throws: NSError.self) { try Storage.configured(app: app) }
    let storage = try Storage.configured(app: app, url: "gs://bucket")
    #expect(storage === Storage.storage(app: app, url: "gs://bucket/"))
    let reference = storage.reference(withPath: "a/b")
    let copy = reference.copy() as? StorageReference
    #expect(copy == reference && copy !== reference && copy?.hash == reference.hash)
    #expect(storage.copy() as? Storage == storage && storage.description.contains("gs://bucket"))
  }

  @Test(arguments: [
    ("gs://b", "b", ""), ("gs://b/", "b", ""), ("gs://b//a///c/", "b", "a/c"),
    ("gs://b/a b?c#d", "b", "a b?c#d"),
    ("https://host:8080/v0/b/b/o/a%2Fc%20d?alt=media&token=t", "b", "a/c d"),
    ("http://localhost/v0/b/shop.appspot.com/o/1.jpg", "shop.appspot.com", "1.jpg"),
    ("http://localhost/v0/b/b", "b", ""), ("http://localhost/v0/b/b/o", "b", ""),
  ])
  func `URLs name a bucket and an object`(url: String, bucket: String, object: String) throws {
    let path = try StoragePath(url)
    #expect(path.bucket == bucket)
    #expect(path.object == object)
  }

  @Test(arguments: [
    "", "b/o", "gs://", "gs:///a", "ftp://b/a", "https://host/", "https://host/v0/b",
    "https://host/v1/b/b/o/a", "https://host/v0/b/b/objects/a",
  ])
  func `other URLs name none`(url: String) {
    #expect {
      try StoragePath(url)
    } throws: {
      Self.isPathError($0)
    }
  }

  private static func isPathError(_ error: any Error) -> Bool {
    (error as? StorageError)?.code == .pathError
  }

  @Test
  func `slashes are one each, and none at the ends`() {
    #expect(StoragePath(bucket: "b", object: "///").object == "")
    #expect(StoragePath(bucket: "b", object: "/a//b/").object == "a/b")
    #expect(StoragePath(bucket: "b", object: "a").child("/b/../c/").object == "a/b/../c")
    #expect(StoragePath(bucket: "b", object: "a/b").parent?.object == "a")
    #expect(StoragePath(bucket: "b", object: "a").parent?.object == "")
    #expect(StoragePath(bucket: "b", object: "").parent == nil)
    #expect(StoragePath.name(of: "a/b") == "b")
    #expect(StoragePath.name(of: "") == "")
  }

  @Test(arguments: [
    ("a/photo.JPG", "image/jpeg"), ("x.tar.gz", "application/gzip"), ("none", ContentTypes.unknown),
    ("a.unheard", ContentTypes.unknown), ("ends.", ContentTypes.unknown),
  ])
  func `a name says the type`(name: String, type: String) {
    #expect(ContentTypes.type(of: name) == type)
  }
}
