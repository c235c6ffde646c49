// swift-tools-version: 6.2

import PackageDescription

/// Every target of ours: language mode 6 and no warning left unread.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let arguments = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle",
  package: "swift-service-lifecycle"
)
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioFoundation = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let firebase = Target.Dependency.product(name: "Firebase", package: "brasa")
let firebaseFirestoreSwift = Target.Dependency.product(
  name: "FirebaseFirestoreSwift",
  package: "brasa"
)
let firebaseAuth = Target.Dependency.product(name: "FirebaseAuth", package: "brasa")
let firebaseAnalytics = Target.Dependency.product(name: "FirebaseAnalytics", package: "brasa")
let firebaseCore = Target.Dependency.product(name: "FirebaseCore", package: "brasa")
let firebaseMessaging = Target.Dependency.product(name: "FirebaseMessaging", package: "brasa")
let firebaseFirestore = Target.Dependency.product(name: "FirebaseFirestore", package: "brasa")
let firebaseRemoteConfig = Target.Dependency.product(
  name: "FirebaseRemoteConfig",
  package: "brasa"
)
let firebaseStorage = Target.Dependency.product(name: "FirebaseStorage", package: "brasa")
let firebaseUI = Target.Dependency.product(name: "FirebaseUI", package: "brasa")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")

/// One example's client: core, pages and SwiftUI app, each in its folder.
func client(
  _ name: String,
  core: [Target.Dependency],
  usesFirebase: Bool = false
) -> [Target] {
  [
    .target(name: "\(name)Core", dependencies: core, path: "\(name)/Core", swiftSettings: strict),
    .target(
      name: "\(name)Web",
      dependencies: [.init(stringLiteral: "\(name)Core"), "LivePage", "ServiceHost"] + core
        + (usesFirebase ? ["FirebasePages"] : []),
      path: "\(name)/Web",
      resources: [.copy("Pages")],
      swiftSettings: strict
    ),
    .target(
      name: "\(name)App",
      dependencies: [.init(stringLiteral: "\(name)Core"), "ExampleServers"] + core
        + (usesFirebase ? ["AppLaunch"] : []),
      path: "\(name)/App",
      swiftSettings: strict
    ),
  ]
}

/// One example: its service, its client and their tests.
func example(
  _ name: String,
  core: [Target.Dependency] = [],
  service: [Target.Dependency] = [],
  serviceResources: [Resource] = [],
  tests: [Target.Dependency] = []
) -> [Target] {
  client(name, core: ["RESTClient"] + core) + [
    .target(
      name: "\(name)Service",
      dependencies: ["ServiceHost", grdb, hummingbird, nioFoundation] + service,
      path: "\(name)/Service",
      resources: serviceResources,
      swiftSettings: strict
    ),
    .testTarget(
      name: "\(name)Tests",
      dependencies: [
        .init(stringLiteral: "\(name)Service"), .init(stringLiteral: "\(name)Core"),
        "ExampleTesting",
      ] + tests,
      path: "\(name)/Tests",
      swiftSettings: strict
    ),
  ]
}

/// An example whose server is Brasa itself.
func firebaseExample(
  _ name: String,
  core: [Target.Dependency],
  tests: [Target.Dependency] = []
) -> [Target] {
  client(name, core: core, usesFirebase: true) + [
    .testTarget(
      name: "\(name)Tests",
      dependencies: [.init(stringLiteral: "\(name)Core"), "ExampleTesting"] + core + tests,
      path: "\(name)/Tests",
      swiftSettings: strict
    )
  ]
}

let package = Package(
  name: "brasa-examples",
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .executable(name: "examples", targets: ["examples"]),
    .library(name: "CodableGuideApp", targets: ["CodableGuideApp"]),
    .library(name: "OrderStatusApp", targets: ["OrderStatusApp"]),
    .library(name: "PontoApp", targets: ["PontoApp"]),
    .library(name: "ProductsApp", targets: ["ProductsApp"]),
    .library(name: "SalesApp", targets: ["SalesApp"]),
    .library(name: "VollmedApp", targets: ["VollmedApp"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(name: "brasa", path: ".."),
  ],
  targets: [
    .target(name: "RESTClient", swiftSettings: strict),
    .target(
      name: "ServiceHost",
      dependencies: [
        crypto, cryptoExtras, grdb, hummingbird, lifecycle, logging, nio, nioFoundation, nioPosix,
      ],
      swiftSettings: strict
    ),
    .target(
      name: "LivePage",
      dependencies: ["ServiceHost", httpTypes, hummingbird, lifecycle, mustache, nioFoundation],
      resources: [.copy("Assets")],
      swiftSettings: strict
    ),
    .target(
      name: "FirebasePages",
      dependencies: ["LivePage", firebaseCore],
      swiftSettings: strict
    ),
    // The addresses of the servers, for the apps of Apple's systems.
    .target(
      name: "ExampleServers",
      resources: [.copy("Servers")],
      swiftSettings: strict
    ),
    .testTarget(
      name: "ExampleServersTests",
      dependencies: ["ExampleServers"],
      swiftSettings: strict
    ),
    .target(
      name: "AppLaunch",
      dependencies: ["ExampleServers", firebaseCore],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "examples",
      dependencies: [
        "CodableGuideWeb", "OrderStatusWeb", "PontoCore", "PontoService", "PontoWeb",
        "ProductsProvider", "ProductsWeb", "SalesService", "SalesWeb", "VollmedService",
        "VollmedWeb", "ServiceHost", "LivePage", arguments, hummingbird,
      ],
      path: "Sources/Examples",
      swiftSettings: strict
    ),
    .target(
      name: "ExampleTesting",
      dependencies: ["ServiceHost", "RESTClient", hummingbird, lifecycle, logging],
      path: "Tests/Support",
      swiftSettings: strict
    ),
    .testTarget(
      name: "RESTClientTests",
      dependencies: ["RESTClient", "ExampleTesting"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LivePageTests",
      dependencies: ["LivePage", "ExampleTesting"],
      swiftSettings: strict
    ),
  ]
    + firebaseExample("CodableGuide", core: [firebaseAuth, firebaseFirestore])
    + firebaseExample(
      "OrderStatus",
      core: ["RESTClient", "SalesCore", firebaseCore, firebaseMessaging],
      tests: ["SalesService", "ServiceHost"]
    )
    + firebaseExample(
      "Products",
      core: [
        firebaseAnalytics, firebaseAuth, firebaseFirestore, firebaseRemoteConfig, firebaseStorage,
        firebaseUI,
      ],
      tests: ["ProductsProvider"]
    )
    + [
      // The OpenID provider that people sign in with; outside of examples it is Google, or a company's.
      .target(
        name: "ProductsProvider",
        dependencies: [
          "ServiceHost", crypto, cryptoExtras, hummingbird, hummingbirdTLS, lifecycle, logging,
        ],
        path: "Products/Provider",
        swiftSettings: strict
      )
    ]
    + example("Ponto", core: [grdb], tests: ["examples"])
    + example(
      "Sales",
      service: ["RESTClient", crypto, logging],
      tests: [firebaseCore, firebaseMessaging]
    )
    + example("Vollmed", service: [logging], serviceResources: [.copy("Faces")])
    + [
      // The book's own listings, in the language mode that they were written for.
      .testTarget(
        name: "BookTests",
        dependencies: [
          "ExampleTesting", "RESTClient", firebase, firebaseFirestoreSwift, firebaseUI,
        ],
        swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
      )
    ]
)
