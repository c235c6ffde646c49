// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "order-status-functions",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "brasa", path: "../../../..")],
  targets: [
    .executableTarget(
      name: "functions",
      dependencies: [.product(name: "FirebaseFunctionsServer", package: "brasa")]
    )
  ]
)
