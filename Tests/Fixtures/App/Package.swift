// swift-tools-version: 6.2

import PackageDescription

// An app as others write it: it depends on Brasa by URL, which the test that builds it names.
let brasa = Context.environment["BRASA_PACKAGE_URL"] ?? "https://github.com/brasa/brasa"

let package = Package(
  name: "app",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(url: brasa, branch: "main")],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [.product(name: "Firebase", package: "brasa"), "Use", "Use5", "Samples"]
    ),
    // The samples of the documentation; the test writes them.
    .target(
      name: "Samples",
      dependencies: [.product(name: "Firebase", package: "brasa")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    // One source in both language modes; the test copies it.
    .target(
      name: "Use",
      dependencies: [
        .product(name: "Firebase", package: "brasa"),
        .product(name: "FirebaseAnalytics", package: "brasa"),
        .product(name: "FirebaseAuth", package: "brasa"),
        .product(name: "FirebaseFirestore", package: "brasa"),
        .product(name: "FirebaseFirestoreSwift", package: "brasa"),
        .product(name: "FirebaseMessaging", package: "brasa"),
        .product(name: "FirebaseRemoteConfigSwift", package: "brasa"),
        .product(name: "FirebaseStorage", package: "brasa"),
        .product(name: "FirebaseStorageSwift", package: "brasa"),
        .product(name: "FirebaseUI", package: "brasa"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    ),
    .target(
      name: "Use5",
      dependencies: [
        .product(name: "Firebase", package: "brasa"),
        .product(name: "FirebaseAnalytics", package: "brasa"),
        .product(name: "FirebaseAuth", package: "brasa"),
        .product(name: "FirebaseFirestore", package: "brasa"),
        .product(name: "FirebaseFirestoreSwift", package: "brasa"),
        .product(name: "FirebaseMessaging", package: "brasa"),
        .product(name: "FirebaseRemoteConfigSwift", package: "brasa"),
        .product(name: "FirebaseStorage", package: "brasa"),
        .product(name: "FirebaseStorageSwift", package: "brasa"),
        .product(name: "FirebaseUI", package: "brasa"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
    ),
  ]
)
