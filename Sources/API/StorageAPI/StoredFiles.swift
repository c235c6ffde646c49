import ObjectStorage
import ServiceModule

extension ServiceStorage {
  /// Buckets and objects, as the commands verify them.
  package static func files(_ storage: ObjectStorage) -> ServiceStorage {
    var stored = ServiceStorage("storage")
    stored.check = { scope, tell in try verify(storage, scope, tell) }
    stored.transfers = [.files(storage), .hmacKeys(storage)]
    return stored
  }

  /// Goes over all objects, a batch at a time; the calling thread waits for each.
  private static func verify(
    _ storage: ObjectStorage,
    _ scope: StorageCheckScope,
    _ tell: (StorageEvent) throws -> Void
  ) throws -> [StorageCount] {
    var (buckets, objects) = (0, 0)
    let sample = scope.sample.map { VerificationSample(oneIn: $0) }
    var position: ObjectStorage.VerificationPosition?
    repeat {
      let from = position
      let (found, next) = try Waiting.translating {
        try await storage.verify(from: from, sample: sample)
      }
      buckets += found.buckets
      objects += found.objects
      for difference in found.differences { try tell(.difference(difference)) }
      try tell(.progress(done: objects, total: nil, unit: "files"))
      position = next
    } while position != nil
    for difference in try Waiting.translating({ try await storage.verifyBlobs() }) {
      try tell(.difference(difference))
    }
    guard buckets > 0 else { return [] }
    return [StorageCount(buckets, "bucket"), StorageCount(objects, "file")]
  }
}
