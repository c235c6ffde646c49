import ExampleTesting
import Firebase
import FirebaseUI
import Foundation
import RESTClient
import Testing

/// The book's chapters 8 to 13 and the guide to Codable, each done in the order of its text.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10))) struct `The book's Swift` {
  @Test func `chapter 8: a message of the legacy form fills the screen`() async throws {
    try await BookServer.run { server in
      let delegate = Chapter08.AppDelegate()
      #expect(delegate.application(didFinishLaunchingWithOptions: server.options))
      #expect(await eventually { delegate.registrationToken != nil })
      let token = try #require(delegate.registrationToken)
      let made = try await server.run("messages", "keys", "create", "postman")
      let key = try #require(made.split(separator: "\n").first { $0.hasPrefix("BRSA") })
      let reply = try await raw(
        .post,
        try #require(URL(string: server.brasa.url)),
        "/fcm/send",
        headers: ["Authorization": "key=\(key)"],
        body: """
          {
            "to": "\(token)",
            "notification": {
              "body": "Status do pedido",
              "title": "Provedor de Mensagens",
              "orderInfo": {
                "infoReason": "Status de pedido",
                "orderID": 3,
                "userEmail": "matilde@siecola.com.br",
                "newOrderStatus": "Novo pedido"
              }
            },
            "priority": "high",
            "content_available": true
          }
          """
      )
      #expect(reply.object["success"] as? Int == 1, "\(reply.text)")
      let results = try #require(reply.object["results"] as? [[String: Any]])
      let id = try #require(results.first?["message_id"] as? String)
      let screen = Chapter08.SalesMessageViewModel.shared
      #expect(await eventually { screen.messageId == id })
      #expect(screen.infoReason == "Status de pedido" && screen.orderID == 3)
      #expect(screen.newOrderStatus == "Novo pedido")
      #expect(screen.userEmail == "matilde@siecola.com.br")
    }
  }

  @Test func `chapter 9: a session outlives the view model, and ends`() async throws {
    try await BookServer.run { server in
      FirebaseApp.configure(options: server.options)
      let authentication = Chapter09.AuthenticationViewModel()
      #expect(!authentication.isLoggedIn)
      let authUI = try #require(FUIAuth.defaultAuthUI())
      #expect(authUI.providers.map(\.providerID) == ["google.com"])
      #expect(authUI.delegate === authentication)
      // FirebaseUI calls the delegate after the provider's page.
      let person = try await server.signUp("matilde")
      authentication.authUI(authUI, didSignInWith: person, error: nil)
      #expect(authentication.isLoggedIn)
      #expect(Chapter09.AuthenticationViewModel().isLoggedIn)
      authentication.authUI(authUI, didSignInWith: nil, error: FUIAuthErrorCode.userCancelledSignIn)
      #expect(!authentication.isLoggedIn)
      authentication.signOut()
      #expect(Auth.auth().currentUser == nil)
      #expect(!Chapter09.AuthenticationViewModel().isLoggedIn)
    }
  }

  @Test func `chapter 10: products are listed, changed and deleted, each for its owner`()
    async throws
  {
    try await BookServer.run { server in
      FirebaseApp.configure(options: server.options)
      try await server.deployRules()
      _ = try await server.signUp("matilde")
      try await Self.showIndexError()
      try await server.buildIndex()
      let content = Chapter10.ContentView()
      content.onAppear()
      try await Self.addProducts(to: content)
      try await Self.changeProduct(of: content)
      try await Self.deleteProduct(of: content)
      content.signOut()
      #expect(content.productListViewModel.products.isEmpty)
      // The second account sees nothing of it.
      _ = try await server.signUp("doralice")
      let other = Chapter10.ContentView()
      other.onAppear()
      let form = Chapter10.AddNewProductView()
      form.addNewProductViewModel.name = "Hers"
      form.saveProduct()
      #expect(await eventually { other.productListViewModel.products.map(\.name) == ["Hers"] })
      try await Firestore.firestore().waitForPendingWrites()
    }
  }

  /// Section 10.5: the query of 10.6 names the index that it needs, with a link to the console.
  private static func showIndexError() async throws {
    let query = Firestore.firestore().collection(Chapter10.Product.COLLECTION)
      .whereField(Chapter10.Product.USER_ID, isEqualTo: try #require(Auth.auth().currentUser?.uid))
      .order(by: Chapter10.Product.NAME)
    let error = await #expect(throws: (any Error).self) {
      try await query.getDocuments(source: .server)
    }
    let text = try #require(error).localizedDescription
    #expect(text.contains("The query requires an index. You can create it here: "), "\(text)")
    #expect(text.contains("/v1/r/project/iosbook/firestore/indexes?create_composite="), "\(text)")
  }

  private static func addProducts(to content: Chapter10.ContentView) async throws {
    content.showNewProductView()
    #expect(content.showModal)
    for (name, code, price) in [("Product 2", "COD2", 20.5), ("Product 1", "COD1", 10.0)] {
      let form = Chapter10.AddNewProductView()
      form.addNewProductViewModel.name = name
      form.addNewProductViewModel.description = "Desc of \(name)"
      form.addNewProductViewModel.code = code
      form.addNewProductViewModel.price = price
      form.saveProduct()
      #expect(!form.isPresented && !form.showAlert)
    }
    let list = content.productListViewModel
    #expect(await eventually { list.products.map(\.name) == ["Product 1", "Product 2"] })
    #expect(content.row(list.products[1]) == ["Product 2", "COD2", "$ 20.50"])
    try await Firestore.firestore().waitForPendingWrites()
    let stored = try await Firestore.firestore().collection("products")
      .document(try #require(list.products[0].id)).getDocument(source: .server)
    #expect(
      Set(stored.data()?.keys ?? [:].keys) == ["userId", "name", "description", "code", "price"]
    )
  }

  private static func changeProduct(of content: Chapter10.ContentView) async throws {
    let list = content.productListViewModel
    let editor = Chapter10.EditProductViewModel()
    editor.setProduct(product: list.products[0])
    editor.code = "COD9"
    #expect(editor.updateProduct())
    #expect(await eventually { list.products.first?.code == "COD9" })
    #expect(list.products.map(\.name) == ["Product 1", "Product 2"])
  }

  private static func deleteProduct(of content: Chapter10.ContentView) async throws {
    content.deleteProduct(indexSet: [0])
    let list = content.productListViewModel
    #expect(await eventually { list.products.map(\.name) == ["Product 2"] })
    #expect(!content.showAlert)
    try await Firestore.firestore().waitForPendingWrites()
  }

  @Test func `chapter 11: the three events arrive with the product's code`() async throws {
    try await BookServer.run { server in
      FirebaseApp.configure(options: server.options)
      let product = Chapter10.Product(
        userId: "1",
        name: "Product 1",
        description: "desc",
        code: "COD-11",
        price: 0.0
      )
      Chapter11.productWasOpened(product)
      Chapter11.productIsDeleted(product)
      // With 25 events a batch goes at once.
      for _ in 0..<25 { Chapter11.formAppeared() }
      let days = server.folder.file("days")
      var lines: [String] = []
      func has(_ event: String, _ code: String?) -> Bool {
        lines.contains { line in
          guard line.contains("\"\(event)\"") else { return false }
          guard let code else { return !line.contains("item_id") }
          return line.contains("item_id") && line.contains("\"\(code)\"")
        }
      }
      while !has("select_item", "COD-11") || !has("attempt_delete_product", "COD-11")
        || !has("new_item", nil)
      {
        try await server.run("analytics", "export", days.path)
        lines = try unpackedLines(of: days)
        await Task.yield()
      }
    }
  }

  @Test func `chapter 12: a parameter turns deleting off at the app's next start`() async throws {
    try await BookServer.run { server in
      let first = Chapter12.RemoteConfigApp(options: server.options)
      #expect(first.isDeleteEnabled())
      #expect(await eventually { first.status != nil })
      #expect(first.isDeleteEnabled())
      _ = await FirebaseApp.app()?.delete()
      // 12.4: the parameter of the console's form.
      let template = """
        {"parameters": {"delete_list_view": {"defaultValue": {"value": "false"}, "valueType": "BOOLEAN"}}}
        """
      try await server.run("config", "publish", server.written(template, "config.json"))
      // A new installation asks at once; one that has asked waits for the 60 seconds of 12.1.
      let options = server.options
      options.stateDirectory = server.folder.file("another device")
      let second = Chapter12.RemoteConfigApp(options: options)
      #expect(await eventually { second.status == .successFetchedFromRemote })
      #expect(!second.isDeleteEnabled())
    }
  }

  @Test func `chapter 13: a product's photo is stored, shown, replaced and deleted`() async throws {
    try await BookServer.run { server in
      FirebaseApp.configure(options: server.options)
      try await server.deployRules()
      try await server.buildIndex()
      try await server.deployStorageRules()
      let cache = Chapter13.configureCache()
      await cache.clear()
      let user = try await server.signUp("matilde").user
      let folder = Storage.storage().reference().child("users/\(user.uid)")
      let list = Chapter13.ProductListViewModel()
      list.fetchProducts()
      let (red, blue) = (Data([0xff, 0xd8, 0xff, 1]), Data([0xff, 0xd8, 0xff, 2]))
      let form = Chapter13.AddNewProductViewModel()
      (form.name, form.code, form.price) = ("Product 1", "COD1", 10)
      #expect(await completed { form.saveNewProduct(imageData: red, completion: $0) })
      #expect(await eventually { list.products.first?.image == red })
      #expect(list.objectWillChange.count > 0)
      let first = try #require(list.products.first?.product.imageId)
      // `metadata: nil`, as the book uploads.
      let metadata = try await folder.child(first).getMetadata()
      #expect(metadata.contentType == "application/octet-stream")
      #expect(
        cache.diskImageData(forKey: StorageImageLoader.cacheKey(of: folder.child(first))) == red
      )
      try await Self.replacePhoto(of: list, with: blue, of: user.uid, at: server)
      let product = try #require(list.products.first?.product)
      #expect(await completed { list.deleteProduct(product: product, completion: $0) })
      #expect(await eventually { list.products.isEmpty })
      // The book does not wait for the deletion of the photo.
      while try await !server.photos(of: user.uid).isEmpty { await Task.yield() }
      await cache.clear()
      SDImageCachesManager.shared.removeCache(cache)
      SDWebImageManager.defaultImageCache = nil
    }
  }

  /// Section 13.9.
  private static func replacePhoto(
    of list: Chapter13.ProductListViewModel,
    with photo: Data,
    of person: String,
    at server: BookServer
  ) async throws {
    let old = try #require(list.products.first?.product.imageId)
    let editor = Chapter13.EditProductViewModel()
    editor.setProduct(product: try #require(list.products.first?.product))
    editor.name = "Product 1, new"
    #expect(
      await completed { editor.updateProduct(newPhoto: false, imageData: photo, completion: $0) }
    )
    #expect(await eventually { list.products.first?.name == "Product 1, new" })
    #expect(list.products.first?.product.imageId == old)
    #expect(
      await completed { editor.updateProduct(newPhoto: true, imageData: photo, completion: $0) }
    )
    #expect(await eventually { list.products.first?.image == photo })
    #expect(list.products.first?.product.imageId != old)
    var items = try await server.photos(of: person)
    while items.contains(old) { items = try await server.photos(of: person) }
    #expect(items == [list.products.first?.product.imageId])
  }
}
