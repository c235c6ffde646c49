// swift-format-ignore-file: NeverForceUnwrap
// Apps force unwrap; this is their code.

import Firebase
import FirebaseFirestoreSwift
import Foundation

// View models as apps had them before SwiftPM: old imports, main-queue callbacks, and stand-ins for Combine.

/// Stands in for Combine's protocol.
protocol ObservableObject: AnyObject {}

/// Stands in for Combine's wrapper.
@propertyWrapper
struct Published<Value> {
  var wrappedValue: Value
}

struct Product: Codable {
  static let COLLECTION = "products"
  static let USER_ID = "userId"
  static let NAME = "name"

  @DocumentID var id: String? = UUID().uuidString
  var userId: String
  var name: String
  var description: String
  var code: String
  var price: Double
  var imageId: String?
}

class ProductListViewModel: ObservableObject {
  @Published var products = [Product]()

  private let db = Firestore.firestore()

  func fetchProducts() {
    db.collection(Product.COLLECTION).whereField(
      Product.USER_ID,
      isEqualTo: Auth.auth().currentUser!.uid
    ).order(by: Product.NAME)
      .addSnapshotListener { querySnapshot, error in
        guard let documents = querySnapshot?.documents else {
          print("Error fetching documents: \(error!)")
          return
        }
        self.products = documents.compactMap { queryDocumentSnapshot -> Product? in
          try? queryDocumentSnapshot.data(as: Product.self)
        }
      }
  }

  func deleteProduct(product: Product, completion: @escaping (Bool) -> Void) {
    db.collection(Product.COLLECTION).document(product.id!).delete { error in
      if let error = error {
        print("Error while removing the product: \(error)")
        completion(false)
      } else {
        completion(true)
      }
    }
  }

  func signOut() {
    try? Auth.auth().signOut()
    print("\(String(describing: Auth.auth().currentUser?.displayName))")
  }
}

class AddNewProductViewModel {
  var name: String = ""
  var price: Double = 0.0

  private let db = Firestore.firestore()

  func saveNewProduct() -> Bool {
    let product = Product(
      userId: Auth.auth().currentUser!.uid,
      name: self.name,
      description: "",
      code: "",
      price: self.price
    )
    let newProductRef = db.collection(Product.COLLECTION).document()
    do {
      try newProductRef.setData(from: product)
      print("The new product has been saved - ID: \(newProductRef.documentID)")
      return true
    } catch {
      print("Error saving product: \(error.localizedDescription)")
      return false
    }
  }
}

struct ColorEntry: Codable {
  @DocumentID var id: String?
  var name: String

  static let empty = ColorEntry(name: "")
}

class MappingColorsViewModel: ObservableObject {
  @Published var colorEntries = [ColorEntry]()
  @Published var newColor = ColorEntry.empty
  @Published var errorMessage: String?

  private var db = Firestore.firestore()
  private var listenerRegistration: ListenerRegistration?

  /// Listens no more.
  public func unsubscribe() {
    if listenerRegistration != nil {
      listenerRegistration?.remove()
      listenerRegistration = nil
    }
  }

  func subscribe() {
    if listenerRegistration == nil {
      listenerRegistration = db.collection("colors")
        .addSnapshotListener { [weak self] (querySnapshot, error) in
          guard let documents = querySnapshot?.documents else {
            self?.errorMessage = "No documents in 'colors' collection"
            return
          }
          self?.colorEntries = documents.compactMap { queryDocumentSnapshot in
            let result = Result { try queryDocumentSnapshot.data(as: ColorEntry.self) }
            switch result {
            case .success(let colorEntry):
              self?.errorMessage = nil
              return colorEntry
            case .failure(let error):
              self?.report(error)
              return nil
            }
          }
        }
    }
  }

  private func report(_ error: Error) {
    switch error {
    case DecodingError.typeMismatch(_, let context):
      self.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
    case DecodingError.valueNotFound(_, let context):
      self.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
    case DecodingError.keyNotFound(_, let context):
      self.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
    case DecodingError.dataCorrupted(let key):
      self.errorMessage = "\(error.localizedDescription): \(key)"
    default:
      self.errorMessage = "Error decoding document: \(error.localizedDescription)"
    }
  }

  func addColorEntry() {
    let collectionRef = db.collection("colors")
    do {
      let newDocReference = try collectionRef.addDocument(from: newColor)
      print("ColorEntry stored with new document reference: \(newDocReference)")
    } catch {
      print(error)
    }
  }

  func fetchColor(documentId: String) {
    let docRef = db.collection("colors").document(documentId)
    docRef.getDocument { document, error in
      if let error = error as NSError? {
        self.errorMessage = "Error getting document: \(error.localizedDescription)"
      } else {
        if let document = document {
          let data = document.data()
          let name = data?["name"] as? String ?? ""
          self.newColor = ColorEntry(id: document.documentID, name: name)
        }
      }
    }
    docRef.getDocument(as: ColorEntry.self) { result in
      switch result {
      case .success(let color): self.newColor = color
      case .failure(let error): self.report(error)
      }
    }
  }
}
