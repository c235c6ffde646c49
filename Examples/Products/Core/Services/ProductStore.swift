import FirebaseFirestore
import FirebaseStorage
import FirebaseUI
import Foundation

/// The products of one person and their photos, at the server.
///
/// A photo is uploaded first, then the document that names it is written, then the photo that was there before goes.
/// `run` must be called once, and lives as long as the store: it looks after the photos that are in question.
@MainActor
package final class ProductStore {
  private let person: String
  private let database: Firestore
  private let storage: Storage
  private let images: StorageImageLoader
  private let cache: SDImageCache
  private let journal: PhotoJournal
  private let clock: any Clock<Duration>
  /// Photos whose document is about to be written, which must not be looked into yet, with the number of such changes.
  private var underWay: [String: Int] = [:]
  private let questions: AsyncStream<Void>
  private let ask: AsyncStream<Void>.Continuation
  private var retries = PhotoRetries()

  package init(_ services: ProductServices, person: String) {
    self.person = person
    database = services.database
    storage = services.storage
    images = services.images
    cache = services.cache
    (journal, clock) = (services.journal, services.clock)
    (questions, ask) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    ask.yield()
  }

  private var products: CollectionReference { database.collection("products") }

  /// This person's products, ordered by name.
  package var query: Query {
    products.whereField("userId", isEqualTo: person).order(by: "name")
  }

  // MARK: Documents

  /// Stores a new product, with its photo if there is one.
  ///
  /// It returns when the document is in the list; the server's refusal comes to `onRefusal`, later.
  package func add(
    _ draft: ProductDraft,
    photo: Photo?,
    onRefusal: @escaping @MainActor (any Error) -> Void
  ) async throws {
    let imageId = photo.map { _ in Self.newImageId() }
    let photos = [imageId].compactMap(\.self)
    begin(photos)
    defer { finish(photos) }
    try await upload(photo, as: imageId, noting: photos)
    let product = try draft.product(of: person, imageId: imageId)
    try products.addDocument(from: product, completion: completion(onRefusal))
  }

  /// Changes a product; without a new photo it keeps the one that it has.
  ///
  /// A product that is gone is not made anew: the server refuses the change.
  package func change(
    _ product: Product,
    to draft: ProductDraft,
    photo: Photo?,
    onRefusal: @escaping @MainActor (any Error) -> Void
  ) async throws {
    guard let id = product.id else { return }
    let imageId = photo.map { _ in Self.newImageId() }
    let photos = imageId == nil ? [] : [imageId, product.imageId].compactMap(\.self)
    begin(photos)
    defer { finish(photos) }
    try await upload(photo, as: imageId, noting: photos)
    let changed = try draft.product(of: person, imageId: imageId ?? product.imageId)
    let fields = try Firestore.Encoder().encode(changed)
    products.document(id).updateData(fields, completion: completion(onRefusal))
  }

  /// Deletes a product; its photo goes when the server's documents name it no more.
  package func delete(
    _ product: Product,
    onRefusal: @escaping @MainActor (any Error) -> Void
  ) async throws {
    guard let id = product.id else { return }
    let photos = [product.imageId].compactMap(\.self)
    begin(photos)
    defer { finish(photos) }
    try await journal.note(photos, of: person)
    products.document(id).delete(completion: completion(onRefusal))
  }

  /// Returns the callback of a write: the server has the document, or has refused it.
  private func completion(
    _ onRefusal: @escaping @MainActor (any Error) -> Void
  ) -> ((any Error)?) -> Void {
    { [ask] error in
      ask.yield()
      if let error { onRefusal(error) }
    }
  }

  // MARK: Photos

  /// A photo's bytes, from the cache or the server.
  package func photo(_ imageId: String) async throws -> Data {
    try await images.imageData(of: reference(imageId)).data
  }

  /// Forgets every photo on this device.
  package func forgetPhotos() async { await cache.clear() }

  private func reference(_ imageId: String) -> StorageReference {
    storage.reference(withPath: "users/\(person)/\(imageId)")
  }

  private static func newImageId() -> String { UUID().uuidString }

  /// Notes the photos that a change puts in question, then uploads its new one and keeps it for offline.
  private func upload(_ photo: Photo?, as imageId: String?, noting photos: [String]) async throws {
    guard let photo, let imageId else { return }
    try await journal.note(photos, of: person)
    let metadata = StorageMetadata()
    metadata.contentType = photo.contentType
    _ = try await reference(imageId).putDataAsync(photo.data, metadata: metadata)
    let key = StorageImageLoader.cacheKey(of: reference(imageId))
    await cache.storeImageData(photo.data, forKey: key)
  }

  // MARK: Photos in question

  /// Looks into the photos in question: at the start, whenever a write has been answered, and a while after something
  /// went wrong.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in questions {
        if await answerQuestions() {
          retries.reset()
        } else if let delay = retries.next() {
          group.addTask { await self.retry(after: delay) }
        }
      }
      group.cancelAll()
    }
  }

  /// Looks again, as after a time without a connection.
  package func askAgain() {
    retries.reset()
    ask.yield()
  }

  private func retry(after delay: Duration) async {
    do {
      try await clock.sleep(for: delay)
      retries.begin()
      ask.yield()
    } catch {
      // The list has ended; the next start asks.
    }
  }

  /// Ends `run`.
  package func end() { ask.finish() }

  /// From here on photos are not looked into.
  private func begin(_ photos: [String]) {
    for imageId in photos { underWay[imageId, default: 0] += 1 }
  }

  /// The change is written, or came to nothing: then the server may have its photo all the same.
  private func finish(_ photos: [String]) {
    for imageId in photos {
      underWay[imageId] = underWay[imageId].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    askAgain()
  }

  /// Looks only into photos whose changes were written before the wait for the server, which then has them all.
  ///
  /// - Returns: False where a photo stays in question, because something went wrong.
  private func answerQuestions() async -> Bool {
    do {
      let questions = try await journal.questions(of: person)
        .filter { underWay[$0.imageId] == nil }
      guard !questions.isEmpty, await serverHasAllWrites() else { return true }
      var hasAll = true
      for question in questions {
        let isAnswered = await isAnswered(question)
        hasAll = hasAll && isAnswered
      }
      return hasAll
    } catch {
      return false
    }
  }

  /// Answers a question; false where it could not be, as without a connection: the others do not wait for it.
  private func isAnswered(_ question: PhotoJournal.Question) async -> Bool {
    do {
      try await answer(question)
      return true
    } catch {
      return false
    }
  }

  /// Waits for the server to have what was written here; false where the person signs out before.
  private func serverHasAllWrites() async -> Bool {
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    database.waitForPendingWrites { error in
      answer.yield(error == nil)
      answer.finish()
    }
    for await isDone in answers { return isDone }
    return false
  }

  /// Deletes a photo that no document of the person names.
  private func answer(_ question: PhotoJournal.Question) async throws {
    let imageId = question.imageId
    let named = try await products.whereField("userId", isEqualTo: person)
      .whereField("imageId", isEqualTo: imageId).limit(to: 1).getDocuments(source: .server)
    if named.isEmpty {
      do {
        try await reference(imageId).delete()
      } catch let error as StorageError where error.code == .objectNotFound {
        // It was never there, or is gone already.
      }
      await cache.removeImageData(forKey: StorageImageLoader.cacheKey(of: reference(imageId)))
    }
    try await journal.forget(question)
  }
}
