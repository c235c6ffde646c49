import FirebaseFirestore
import FirebaseStorage
import Foundation

/// Somebody who is signed in and tries every route to another person's products.
@MainActor
struct Intruder {
  /// The outcome of an attempt.
  enum Outcome: Equatable {
    case refused
    case succeeded
    case other(String)
  }

  private let database: Firestore
  private let storage: Storage
  private let person: String

  init(_ app: RunningApp) {
    database = app.database
    storage = app.storage
    person = app.list?.person ?? ""
  }

  /// Every attempt by its name.
  func attempts(
    on victim: String,
    product: String,
    photo: String
  ) async -> [(String, Outcome)] {
    let products = database.collection("products")
    let theirs = products.document(product)
    let hers = products.whereField("userId", isEqualTo: victim)
    let file = storage.reference(withPath: "users/\(victim)/\(photo)")
    let own = products.document("own-\(person)")
    let mine =
      ["userId": person, "name": "x", "description": "", "code": "x", "price": 1] as [String: Any]
    let foreign = mine.merging(["userId": victim]) { $1 }
    return [
      ("get", await outcome { _ = try await theirs.getDocument(source: .server) }),
      ("query", await outcome { _ = try await hers.getDocuments(source: .server) }),
      ("query of all", await outcome { _ = try await products.getDocuments(source: .server) }),
      (
        "collection group",
        await outcome {
          _ = try await database.collectionGroup("products").getDocuments(source: .server)
        }
      ),
      ("count", await outcome { _ = try await hers.count.getAggregation(source: .server) }),
      ("listener", await listening(to: hers.order(by: "name"))),
      ("listener of one", await listening(to: theirs)),
      ("create for her", await outcome { try await products.document().setData(foreign) }),
      ("change", await outcome { try await theirs.updateData(["name": "mine"]) }),
      ("take over", await outcome { try await theirs.setData(mine) }),
      ("delete", await outcome { try await theirs.delete() }),
      (
        "give away",
        await outcome {
          try await own.setData(mine)
          try await own.updateData(["userId": victim])
        }
      ),
      ("photo", await outcome { _ = try await file.data(maxSize: 1 << 20) }),
      ("photo's metadata", await outcome { _ = try await file.getMetadata() }),
      (
        "change of metadata",
        await outcome { _ = try await file.updateMetadata(StorageMetadata()) }
      ),
      ("other photo", await outcome { _ = try await file.putDataAsync(Data([1])) }),
      ("delete photo", await outcome { try await file.delete() }),
      (
        "photos",
        await outcome { _ = try await storage.reference(withPath: "users/\(victim)").listAll() }
      ),
      (
        "upload",
        await outcome {
          _ = try await storage.reference(withPath: "users/\(victim)/x").putDataAsync(Data([1]))
        }
      ),
    ]
  }

  private func listening(to query: Query) async -> Outcome {
    await outcome {
      for try await snapshot in query.snapshots where !snapshot.metadata.isFromCache { return }
    }
  }

  private func listening(to document: DocumentReference) async -> Outcome {
    await outcome {
      for try await snapshot in document.snapshots where !snapshot.metadata.isFromCache { return }
    }
  }

  private func outcome(_ body: @MainActor () async throws -> Void) async -> Outcome {
    do {
      try await body()
      return .succeeded
    } catch {
      let error = error as NSError
      let isRefused =
        switch error.domain {
        case FirestoreErrorDomain: error.code == FirestoreErrorCode.permissionDenied.rawValue
        case StorageErrorDomain: error.code == StorageErrorCode.unauthorized.rawValue
        default: false
        }
      return isRefused ? .refused : .other("\(error)")
    }
  }
}
