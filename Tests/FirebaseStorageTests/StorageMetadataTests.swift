import Foundation
import Testing

@testable import FirebaseStorage

/// Metadata as values, and errors as numbers.
@Suite
struct StorageMetadataTests {
  private static var members: [String: AnyHashable] {
    [
      "bucket": "b", "name": "a/c.txt", "generation": "1700000000000001", "metageneration": "2",
      "size": "5", "md5Hash": "hash", "contentType": "text/plain", "cacheControl": "no-store",
      "timeCreated": "2026-01-02T03:04:05.678Z", "updated": "2026-01-02T03:04:06.000Z",
      "metadata": ["k": "v"] as [String: String], "downloadTokens": "t1,t2",
    ]
  }

  @Test
  func `members make metadata and metadata make members`() {
    let metadata = StorageMetadata(dictionary: Self.members)
    #expect(metadata.generation == 1_700_000_000_000_001 && metadata.size == 5)
    #expect(metadata.timeCreated?.timeIntervalSince1970 == 1_767_323_045.678)
    #expect(metadata.served.downloadTokens == ["t1", "t2"])
    let again = metadata.dictionaryRepresentation()
    #expect(again == Self.members)
    #expect(StorageMetadata(dictionary: ["size": 5]).size == 5)
    #expect(metadata.description.hasPrefix("StorageMetadata ["))
    #expect(StorageMetadata(dictionary: again) == metadata)
    let copy = metadata.copy() as? StorageMetadata
    copy?.contentType = nil
    #expect(copy != metadata && metadata.contentType == "text/plain")
  }

  @Test
  func `changes are what was set and what was taken away`() {
    let metadata = StorageMetadata(dictionary: Self.members)
    #expect(metadata.changes.isEmpty)
    metadata.cacheControl = nil
    metadata.contentType = "text/plain"
    metadata.contentLanguage = "de"
    metadata.customMetadata = nil
    let expected: [String: Any] = [
      "cacheControl": NSNull(), "contentLanguage": "de", "metadata": ["k": NSNull()],
    ]
    #expect(metadata.changes as NSDictionary == expected as NSDictionary)
    #expect(StorageMetadata().changes.isEmpty)
  }

  @Test(arguments: [
    (400, -13000), (401, -13020), (402, -13013), (403, -13021), (404, -13010), (409, -13000),
    (500, -13000),
  ])
  func `a status is a number`(status: Int, number: Int) {
    let error = StorageError(HTTPAnswer(status: status), bucket: "b", object: "o")
    #expect((error as NSError).code == number)
    #expect((error as NSError).domain == StorageErrorDomain)
    #expect(!error.localizedDescription.isEmpty)
  }

  @Test
  func `numbers are Google's`() {
    #expect(
      StorageErrorCode.allCases.map(\.rawValue) == [
        -13000, -13010, -13011, -13012, -13013, -13020, -13021, -13030, -13031, -13032, -13040,
        -13050, -13051, -13052, -13053,
      ]
    )
    let raw = [
      StorageTaskStatus.unknown, .resume, .progress, .pause, .success, .failure,
    ].map(\.rawValue)
    #expect(raw == [0, 1, 2, 3, 4, 5])
  }
}
