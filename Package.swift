// swift-tools-version: 6.2

import PackageDescription

// The manifest says each thing once: a target is named after its folder, the folder of a layer lies below `Sources`,
// and what all targets have in common is set at the end. What a target may import is what it uses here; the build
// refuses the rest, and docs/targets.md draws it.

// Products of other packages.

func product(_ name: String, of package: String) -> Target.Dependency {
  .product(name: name, package: package)
}

let nio = product("NIOCore", of: "swift-nio")
let nioPosix = product("NIOPosix", of: "swift-nio")
let nioHTTP1 = product("NIOHTTP1", of: "swift-nio")
let nioHTTPTypes = product("NIOHTTPTypes", of: "swift-nio-extras")
let nioHTTPTypesHTTP1 = product("NIOHTTPTypesHTTP1", of: "swift-nio-extras")
let nioHTTP2 = product("NIOHTTP2", of: "swift-nio-http2")
let nioHPACK = product("NIOHPACK", of: "swift-nio-http2")
let nioTLS = product("NIOTLS", of: "swift-nio")
let nioSSL = product("NIOSSL", of: "swift-nio-ssl")
let httpTypes = product("HTTPTypes", of: "swift-http-types")
let protobuf = product("SwiftProtobuf", of: "swift-protobuf")
let logging = product("Logging", of: "swift-log")
let coreMetrics = product("CoreMetrics", of: "swift-metrics")
let crypto = product("Crypto", of: "swift-crypto")
let cryptoExtras = product("CryptoExtras", of: "swift-crypto")
let jwt = product("JWTKit", of: "jwt-kit")
let httpClient = product("AsyncHTTPClient", of: "async-http-client")
let asn1 = product("SwiftASN1", of: "swift-asn1")
let x509 = product("X509", of: "swift-certificates")
let arguments = product("ArgumentParser", of: "swift-argument-parser")
let hummingbird = product("Hummingbird", of: "hummingbird")
let hummingbirdCore = product("HummingbirdCore", of: "hummingbird")
let lifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle")
let unixSignals = product("UnixSignals", of: "swift-service-lifecycle")
let grdb = product("GRDB", of: "GRDB.swift")
let sqlite = product("GRDBSQLite", of: "GRDB.swift")

// Imported bcrypt hashes are checked by the C library of Linux.
let crypt = Target.Dependency.target(name: "CCrypt", condition: .when(platforms: [.linux]))

extension Target {
  /// A library in `Sources/<folder>`, named as the folder's last part.
  static func library(
    _ folder: String,
    uses dependencies: [Dependency] = [],
    excludes: [String] = [],
    embeds files: [String] = []
  ) -> Target {
    .target(
      name: lastPart(of: folder),
      dependencies: dependencies,
      path: "Sources/\(folder)",
      exclude: excludes,
      resources: files.map { .embedInCode($0) }
    )
  }

  /// A program in `Sources/<folder>`, named as the folder's last part.
  static func program(_ folder: String, uses dependencies: [Dependency]) -> Target {
    .executableTarget(
      name: lastPart(of: folder),
      dependencies: dependencies,
      path: "Sources/\(folder)"
    )
  }

  /// Headers of a C library in `Sources/<folder>`, and the Debian package that brings the library where it is not the
  /// C library itself.
  static func headers(_ folder: String, from package: String? = nil) -> Target {
    .systemLibrary(
      name: lastPart(of: folder),
      path: "Sources/\(folder)",
      providers: package.map { [.apt([$0])] }
    )
  }

  /// The tests of a target, in `Tests/<target>Tests`.
  static func tests(
    of target: String,
    uses dependencies: [Dependency] = [],
    excludes: [String] = []
  ) -> Target {
    .testTarget(
      name: "\(target)Tests",
      dependencies: [.byName(name: target)] + dependencies,
      exclude: excludes
    )
  }

  /// Code that several test targets use, in `Tests/<name>`.
  static func testSupport(
    _ name: String,
    uses dependencies: [Dependency] = [],
    excludes: [String] = []
  ) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: excludes)
  }

  /// A program that tests run, in `Tests/<folder>`.
  static func testProgram(
    _ name: String,
    in folder: String,
    uses dependencies: [Dependency]
  ) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(folder)")
  }

  private static func lastPart(of folder: String) -> String {
    String(folder[(folder.lastIndex(of: "/").map(folder.index(after:)) ?? folder.startIndex)...])
  }
}

// Apps link these. The programs are products without being declared, so that SwiftPM fetches for an app what the
// libraries need and nothing of the server's.
let libraries = [
  "Firebase", "FirebaseAnalytics", "FirebaseAuth", "FirebaseAuthCombineSwift", "FirebaseCore",
  "FirebaseFirestore", "FirebaseFirestoreCombineSwift", "FirebaseFirestoreSwift",
  "FirebaseFunctions", "FirebaseFunctionsServer",
  "FirebaseInstallations", "FirebaseMessaging", "FirebaseRemoteConfig", "FirebaseRemoteConfigSwift",
  "FirebaseSharedSwift", "FirebaseStorage", "FirebaseStorageCombineSwift", "FirebaseStorageSwift",
  "FirebaseUI",
]

let package = Package(
  name: "brasa",
  // macOS is higher, as one clause is for all targets and the server's need it. No server is built for iOS.
  platforms: [.macOS(.v15), .iOS(.v16)],
  products: libraries.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: [
    // Base: what every layer may use. Most names begin with the layer's: an app's other packages may have a target JSON,
    // and a type can't be told from a module of its name.
    .library("Base/BaseText"),
    .library("Base/BaseStatus"),
    .library("Base/BaseJSON", uses: ["BaseText", "BaseStatus"]),
    .library("Base/BaseRuntime"),
    .library("Base/Locking"),
    .tests(of: "Locking"),
    .library("Base/CChecksum"),
    .library("Base/Checksums", uses: ["CChecksum"]),
    .headers("Base/CBrotli", from: "libbrotli-dev"),
    .library("Base/Brotli", uses: ["CBrotli"]),
    .tests(of: "Brotli", uses: ["CBrotli"]),
    .headers("Base/CZlib", from: "zlib1g-dev"),
    .library("Base/Gzip", uses: ["CZlib", "Locking"]),
    .tests(of: "Gzip", uses: ["CZlib", "ModelTestSupport"]),
    .testTarget(
      name: "BaseTests",
      dependencies: [
        "BaseJSON", "BaseRuntime", "BaseStatus", "BaseText", "Checksums", "FirestoreModel",
        "ModelTestSupport",
      ]
    ),

    // Vocabulary: Firestore's values without I/O.
    .library("Vocabulary/FirestoreModel", uses: ["BaseText", "BaseJSON", "BaseStatus"]),
    .library("Vocabulary/PipelineModel", uses: ["BaseText", "FirestoreModel"]),
    .library("Vocabulary/DocumentCodec", uses: ["BaseText", "BaseStatus", "FirestoreModel"]),
    .testSupport("ModelTestSupport", uses: ["BaseText", "FirestoreModel"]),
    .tests(of: "FirestoreModel", uses: ["BaseText", "BaseStatus", "ModelTestSupport"]),
    .tests(
      of: "DocumentCodec",
      uses: ["BaseText", "BaseStatus", "FirestoreModel", "ModelTestSupport"]
    ),

    // Engine: keeps and finds them.
    .library("Engine/KeyValueStore", uses: ["BaseRuntime"]),
    .systemLibrary(
      name: "CRocksDB",
      path: "Sources/Engine/CRocksDB",
      pkgConfig: "rocksdb",
      providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]
    ),
    .library(
      "Engine/KeyValueRocksDB",
      uses: ["Checksums", "BaseRuntime", "KeyValueStore", "CRocksDB"]
    ),
    .library("Engine/KeyValuePostgres", uses: ["BaseText", "BaseRuntime", "KeyValueStore"]),
    .testSupport("PostgresTestSupport", uses: ["KeyValueStore"], excludes: ["server.sh"]),
    .testProgram(
      "postgres-writer",
      in: "PostgresWriterProgram",
      uses: ["KeyValuePostgres", "PostgresTestSupport"]
    ),
    .tests(
      of: "KeyValuePostgres",
      uses: [
        "BaseRuntime", "KeyValueStore", "ModelTestSupport", "PostgresTestSupport",
        "postgres-writer",
      ]
    ),
    .tests(
      of: "KeyValueStore",
      uses: [
        "BaseRuntime", "KeyValueRocksDB", "KeyValuePostgres", "ModelTestSupport",
        "PostgresTestSupport",
      ]
    ),
    .testProgram(
      "engine-fault-driver",
      in: "Faults/Driver",
      uses: ["KeyValueStore", "KeyValueRocksDB"]
    ),
    .tests(
      of: "KeyValueRocksDB",
      uses: ["KeyValueStore", "CRocksDB", "ModelTestSupport", "engine-fault-driver"]
    ),
    .library(
      "Engine/DocumentStore",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec",
        "KeyValueStore",
      ]
    ),
    .tests(
      of: "DocumentStore",
      uses: [
        "BaseText", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec", "KeyValueStore",
        "KeyValueRocksDB", "KeyValuePostgres", "ModelTestSupport", "PostgresTestSupport",
      ]
    ),
    .library(
      "Engine/Realtime",
      uses: [
        "BaseText", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec", "DocumentStore",
        "KeyValueStore", crypto,
      ]
    ),
    .tests(
      of: "Realtime",
      uses: [
        "BaseText", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec", "DocumentStore",
        "KeyValueStore", "KeyValueRocksDB", "ModelTestSupport",
      ]
    ),

    // Access: who may do what.
    .library("Access/SecurityRules", uses: ["BaseText", "FirestoreModel"]),
    .tests(of: "SecurityRules", uses: ["BaseText", "FirestoreModel", "ModelTestSupport"]),
    .library(
      "Access/Access",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec",
        "DocumentStore", "KeyValueStore", "SecurityRules", crypto, logging,
      ]
    ),
    .testSupport(
      "AccessTestSupport",
      uses: ["BaseText", "BaseStatus", "Access", "FirestoreModel", crypto, logging]
    ),
    .tests(
      of: "Access",
      uses: [
        "BaseText", "BaseStatus", "AccessTestSupport", "DocumentCodec", "DocumentStore",
        "FirestoreModel", "KeyValueStore", "ModelTestSupport", "SecurityRules", logging,
      ]
    ),

    // Services: the logic of the products.
    .headers("Services/CCrypt", from: "libcrypt-dev"),
    .library(
      "Services/Authentication",
      uses: [
        "BaseText", "BaseJSON", "BaseRuntime", "FirestoreModel", "KeyValueStore", crypt, crypto,
        cryptoExtras, asn1, x509,
      ]
    ),
    .tests(
      of: "Authentication",
      uses: [
        "BaseText", "BaseJSON", "BaseRuntime", "FirestoreModel", "KeyValueStore", "KeyValueRocksDB",
        "ModelTestSupport", crypto, cryptoExtras, jwt,
      ]
    ),
    .library("Services/AuditTrail", uses: ["BaseJSON", "BaseRuntime", "KeyValueStore", crypto]),
    .tests(of: "AuditTrail", uses: ["BaseRuntime", "KeyValueStore"]),
    .library(
      "Services/Installations",
      uses: ["BaseText", "BaseJSON", "FirestoreModel", "KeyValueStore", crypto]
    ),
    .tests(of: "Installations", uses: ["KeyValueStore"]),
    .library(
      "Services/Events",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "KeyValueStore",
        "DocumentStore",
      ]
    ),
    .tests(
      of: "Events",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec",
        "DocumentStore", "KeyValueStore", "ModelTestSupport",
      ]
    ),
    .library(
      "Services/ConfigTemplates",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "KeyValueStore",
        "SecurityRules", crypto,
      ]
    ),
    .tests(
      of: "ConfigTemplates",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "KeyValueStore",
        "ModelTestSupport",
      ]
    ),
    .library(
      "Services/PushMessaging",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "KeyValueStore",
        crypto,
      ]
    ),
    .tests(
      of: "PushMessaging",
      uses: ["BaseText", "BaseJSON", "BaseRuntime", "KeyValueStore", "ModelTestSupport", crypto]
    ),
    .library(
      "Services/EventAnalytics",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "KeyValueStore",
      ]
    ),
    .tests(
      of: "EventAnalytics",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "KeyValueStore", "ModelTestSupport",
      ]
    ),
    .library(
      "Services/Pipelines",
      uses: [
        "BaseText", "BaseStatus", "FirestoreModel", "DocumentCodec", "PipelineModel",
        "DocumentStore", "Access", "SecurityRules",
      ]
    ),
    .tests(
      of: "Pipelines",
      uses: [
        "BaseText", "BaseStatus", "FirestoreModel", "DocumentCodec", "PipelineModel",
        "DocumentStore", "KeyValueStore", "ModelTestSupport",
      ]
    ),
    .library(
      "Services/FirestoreService",
      uses: [
        "BaseJSON", "BaseText", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec",
        "FirestoreWire", "DocumentStore", "KeyValueStore", "Access", "Realtime", "Pipelines",
        crypto,
        logging,
      ]
    ),
    .tests(
      of: "FirestoreService",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "Access", "AccessTestSupport",
        "FirestoreModel", "DocumentCodec", "FirestoreWire", "DocumentStore", "FirestoreAPI",
        "ServiceModule", "Gateway", "KeyValueStore", "Realtime", "ModelTestSupport", logging,
      ]
    ),
    .library("Services/CLauncher"),
    .library(
      "Services/FunctionHost",
      uses: ["BaseJSON", "BaseStatus", "CLauncher", "Gzip", crypto, logging]
    ),
    .tests(of: "FunctionHost", uses: ["BaseJSON", "BaseStatus", "CLauncher", logging]),
    .headers("Services/CFileRange"),
    .library(
      "Services/ObjectStorage",
      uses: [
        "BaseText", "BaseRuntime", "Checksums", "FirestoreModel", "KeyValueStore", "Access",
        "SecurityRules", "CFileRange", crypto,
      ]
    ),
    .tests(
      of: "ObjectStorage",
      uses: [
        "BaseText", "BaseStatus", "BaseRuntime", "Checksums", "Access", "DocumentStore",
        "KeyValueStore", "ModelTestSupport", "Outbound", logging,
      ]
    ),
    .library(
      "Services/Backup",
      uses: [
        "BaseText", "BaseRuntime", "Checksums", "Gzip", "KeyValueStore", "KeyValueRocksDB",
        "ObjectStorage", crypto,
      ]
    ),
    .tests(
      of: "Backup",
      uses: [
        "BaseRuntime", "KeyValueStore", "KeyValueRocksDB", "ModelTestSupport", "ObjectStorage",
      ]
    ),

    // API: the messages of Google's clients.
    .library(
      "API/FirestoreWire",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "FirestoreModel", "PipelineModel", "DocumentCodec",
        protobuf,
      ],
      excludes: ["Protos"]
    ),
    .tests(
      of: "FirestoreWire",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "FirestoreModel", "DocumentCodec", "ModelTestSupport",
        protobuf,
      ]
    ),
    .library(
      "API/ServiceModule",
      uses: ["BaseText", "BaseStatus", "FirestoreModel", "Gzip", "Access", httpTypes, logging]
    ),
    // Calls the routes of a module without a network.
    .testSupport(
      "ServiceTestSupport",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "Access", "AccessTestSupport",
        "DocumentStore", "FirestoreWire", "KeyValueStore", "ServiceModule", httpTypes, logging,
      ]
    ),
    .tests(of: "ServiceModule", uses: ["BaseStatus", "Access", "Gzip", httpTypes, logging]),
    .library(
      "API/StorageWire",
      uses: ["BaseText", "BaseJSON", "Checksums", "FirestoreModel", crypto]
    ),
    .tests(of: "StorageWire", uses: ["BaseText", "ModelTestSupport", crypto]),
    .library(
      "API/FirestoreAPI",
      uses: [
        "BaseText", "BaseStatus", "FirestoreModel", "FirestoreWire", "FirestoreService", "Access",
        "ServiceModule", httpTypes,
      ]
    ),
    .tests(
      of: "FirestoreAPI",
      uses: [
        "AccessTestSupport", "FirestoreModel", "FirestoreService", "FirestoreWire", "ServiceModule",
        "ServiceTestSupport", httpTypes,
      ]
    ),
    .library(
      "API/StorageAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "Checksums", "FirestoreModel",
        "FirestoreWire", "Gzip", "StorageWire", "ObjectStorage", "Access", "ServiceModule", crypto,
        httpTypes, logging,
      ]
    ),
    .tests(
      of: "StorageAPI",
      uses: [
        "BaseJSON", "BaseRuntime", "DocumentStore", "KeyValueStore", "ObjectStorage", "Access",
        "ServiceModule", "StorageWire", httpTypes, logging,
      ]
    ),
    .library(
      "API/FunctionsAPI",
      uses: [
        "Authentication", "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "Access",
        "FirestoreWire", "FunctionHost", "ServiceModule", httpTypes,
      ]
    ),
    .tests(
      of: "FunctionsAPI",
      uses: [
        "Authentication", "BaseText", "FunctionHost", "ServiceModule", "ServiceTestSupport",
        logging,
      ]
    ),
    .library(
      "API/FunctionsAdminAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "FunctionHost", "ServiceModule", httpTypes,
      ]
    ),
    .tests(
      of: "FunctionsAdminAPI",
      uses: ["BaseJSON", "FunctionHost", "ServiceModule", "ServiceTestSupport", logging]
    ),
    .library(
      "API/RulesAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "SecurityRules", "ServiceModule", httpTypes,
      ]
    ),
    .tests(
      of: "RulesAPI",
      uses: [
        "BaseText", "BaseJSON", "Access", "FirestoreModel", "ServiceModule", "ServiceTestSupport",
      ]
    ),
    .library(
      "API/InstallationsAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreWire", "Access",
        "Installations", "ServiceModule", httpTypes,
      ]
    ),
    .tests(
      of: "InstallationsAPI",
      uses: ["BaseText", "Installations", "ServiceModule", "ServiceTestSupport"]
    ),
    .library(
      "API/ConfigAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "ConfigTemplates", "ServiceModule", httpTypes, logging,
      ]
    ),
    .tests(
      of: "ConfigAPI",
      uses: ["BaseJSON", "ConfigTemplates", "BaseStatus", "ServiceModule", "ServiceTestSupport"]
    ),
    .library(
      "API/MessagingAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "PushMessaging", "ServiceModule", crypto, httpTypes,
      ],
      embeds: [
        "Browser/Files/messaging.js", "Browser/Files/messaging-store.js",
        "Browser/Files/messaging-worker.js", "Browser/Files/web.js", "Browser/Files/web-frames.js",
      ]
    ),
    .tests(
      of: "MessagingAPI",
      uses: [
        "BaseText", "BaseJSON", "FirestoreModel", "PushMessaging", "ServiceModule",
        "ServiceTestSupport", crypto,
      ]
    ),
    .library(
      "API/AnalyticsAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreWire", "Gzip", "Access",
        "EventAnalytics", "ServiceModule", httpTypes,
      ]
    ),
    .tests(
      of: "AnalyticsAPI",
      uses: [
        "BaseText", "BaseJSON", "EventAnalytics", "Gzip", "ServiceModule", "ServiceTestSupport",
      ]
    ),
    .library(
      "API/EventsAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "DocumentCodec",
        "DocumentStore", "KeyValueStore", "FirestoreWire", "Access", "Events", "ServiceModule",
        httpTypes,
      ]
    ),
    .tests(
      of: "EventsAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "DocumentStore", "Events",
        "KeyValueStore", "ServiceModule", "ServiceTestSupport",
      ]
    ),
    .library(
      "API/IdentityAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "Authentication", "KeyValueStore", "ServiceModule", httpTypes, logging,
      ],
      embeds: [
        "Page/Files/action.js", "Page/Files/handler.js", "Page/Files/handler-accounts.js",
        "Page/Files/handler-event.js", "Page/Files/iframe.html", "Page/Files/iframe.js",
        "Page/Files/icon.svg", "Page/Files/page.css", "Page/Files/page.html",
      ]
    ),
    .tests(
      of: "IdentityAPI",
      uses: [
        "BaseStatus", "Access", "Authentication", "BaseText", "ServiceModule", "ServiceTestSupport",
        httpTypes,
      ]
    ),

    .library(
      "API/ManagementAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "Authentication", "ServiceModule", "KeyValueStore", httpTypes,
      ]
    ),

    .tests(
      of: "ManagementAPI",
      uses: [
        "BaseJSON", "BaseText", "Access", "Authentication", "ServiceModule", "ServiceTestSupport",
      ]
    ),

    .library(
      "Services/Hosting",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "KeyValueStore", "SecurityRules",
        "ObjectStorage", "Brotli", "Gzip", crypto,
      ]
    ),
    .tests(
      of: "Hosting",
      uses: ["BaseJSON", "BaseRuntime", "BaseStatus", "KeyValueStore", "ObjectStorage"]
    ),
    .library(
      "Services/ManagedExport",
      uses: ["BaseText", "BaseStatus", "Checksums", "DocumentCodec"]
    ),
    .tests(
      of: "ManagedExport",
      uses: ["BaseStatus", "BaseText", "DocumentCodec", "FirestoreModel", "ModelTestSupport"]
    ),
    .headers("Services/CSQLite", from: "libsqlite3-dev"),
    .library(
      "Services/ForeignExports",
      uses: ["BaseText", "BaseJSON", "CSQLite"]
    ),
    .tests(of: "ForeignExports", uses: ["BaseJSON", "CSQLite"]),
    .library(
      "API/HostingAPI",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "Gzip", "Hosting", "ServiceModule", "KeyValueStore", httpTypes, logging,
      ]
    ),
    .tests(
      of: "HostingAPI",
      uses: [
        "BaseJSON", "BaseText", "Hosting", "ObjectStorage", "ServiceModule", "ServiceTestSupport",
      ]
    ),

    // Server: transport, the console, the programs.
    .library(
      "Server/Outbound",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "Authentication", "Backup", "Events", "FunctionHost",
        "ObjectStorage", "PushMessaging", "StorageWire", nio, nioPosix, nioSSL, nioTLS, httpClient,
        crypto, logging,
      ]
    ),
    .testSupport("CertificateTestSupport", uses: [asn1, crypto, x509]),
    // Services that messages are pushed to, for tests and measurements.
    .testSupport(
      "PushStandIns",
      uses: [
        "BaseText", "BaseJSON", "CertificateTestSupport", crypto, nio, nioPosix, nioHTTP2, nioHPACK,
        nioSSL,
      ]
    ),
    .testProgram(
      "push-stand-in",
      in: "PushStandInProgram",
      uses: ["BaseText", "BaseJSON", "PushStandIns", "Outbound", "PushMessaging", crypto]
    ),
    .tests(
      of: "Outbound",
      uses: [
        "BaseJSON", "Authentication", "Events", "PushMessaging", "PushStandIns", crypto, nio,
        nioPosix, httpClient, logging,
      ]
    ),
    .library(
      "Server/Gateway",
      uses: [
        "BaseText", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire", "ServiceModule",
        "KeyValueStore", "Access", nio, nioPosix, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1,
        nioHTTP2, nioHPACK, nioTLS, nioSSL, crypto, httpTypes, hummingbird, hummingbirdCore,
        logging, coreMetrics, lifecycle,
      ]
    ),
    .tests(
      of: "Gateway",
      uses: [
        "BaseText", "BaseStatus", "BaseRuntime", "Access", "FirestoreAPI", "IdentityAPI",
        "Authentication", "ServiceModule", "DocumentStore", "FirestoreModel", "FirestoreWire",
        "FirestoreService", "CertificateTestSupport", "KeyValueStore", "ModelTestSupport", nio,
        nioPosix, nioTLS, nioHTTP2, nioHPACK, nioSSL, httpTypes, logging, lifecycle,
      ]
    ),
    .library("Server/CConsoleFiles", excludes: ["Files", "package.json"]),
    .library(
      "Server/Console",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "FirestoreModel", "FirestoreWire",
        "Access", "AuditTrail", "Authentication", "KeyValueStore", "ServiceModule", "CConsoleFiles",
        "Gzip", crypto, httpTypes,
      ]
    ),
    .tests(
      of: "Console",
      uses: [
        "BaseStatus", "BaseRuntime", "Access", "Authentication", "KeyValueStore", "ServiceModule",
        httpTypes,
      ]
    ),
    .headers("Server/CEpoll"),
    .library("Server/CCommit"),
    .program(
      "Server/brasa",
      uses: [
        "CCommit", "BaseText", "BaseJSON", "BaseStatus", "BaseRuntime", "Checksums",
        "FirestoreModel", "DocumentCodec", "FirestoreWire", "FirestoreAPI", "RulesAPI",
        "IdentityAPI", "ManagementAPI", "Hosting", "HostingAPI", "ManagedExport", "ForeignExports",
        "StorageAPI",
        "ObjectStorage", "ConfigAPI", "ConfigTemplates", "EventAnalytics", "AnalyticsAPI", "Events",
        "EventsAPI", "Installations", "InstallationsAPI", "PushMessaging",
        "MessagingAPI", "Gateway", "Console", "AuditTrail", "Gzip", "StorageWire",
        "FirestoreService", "ServiceModule", "Access", "DocumentStore", "KeyValueStore",
        "KeyValuePostgres", "KeyValueRocksDB", "SecurityRules", "Authentication", "Backup",
        "Outbound", "FunctionHost", "FunctionsAPI", "FunctionsAdminAPI", "Realtime", arguments,
        asn1, coreMetrics,
        crypto,
        cryptoExtras, lifecycle, logging, nio,
        nioPosix, nioHTTP2, nioHPACK, nioSSL, unixSignals, x509,
      ]
    ),
    .program(
      "Server/brasa-load",
      uses: [
        "BaseText", "BaseJSON", "BaseRuntime", "FirestoreModel", "DocumentCodec", "DocumentStore",
        "KeyValueStore", "KeyValueRocksDB", "SecurityRules", "Authentication", "EventAnalytics",
        "PushMessaging", "CRocksDB", "CEpoll", nio, nioHPACK, arguments,
      ]
    ),
    .tests(of: "brasa-load", uses: ["DocumentCodec"]),

    // SDK: what apps link.
    .library("SDK/FirebaseCore", uses: ["Locking"]),
    .tests(of: "FirebaseCore", uses: ["SDKTestSupport", "brasa"]),
    .library(
      "SDK/FirestoreSync",
      uses: ["BaseText", "BaseJSON", "BaseStatus", "FirestoreModel", "DocumentCodec"]
    ),
    .library(
      "SDK/FirestoreCache",
      uses: ["BaseText", "FirestoreSync", "FirestoreModel", "DocumentCodec", grdb, sqlite]
    ),
    .testSupport("CacheTestSupport", uses: ["FirestoreSync", "FirestoreCache", "FirestoreModel"]),
    .testSupport(
      "ScheduleTestSupport",
      uses: [
        "BaseText", "BaseStatus", "CacheTestSupport", "FirestoreCache", "FirestoreSync",
        "FirestoreModel", "DocumentCodec", "ModelTestSupport",
      ]
    ),
    .testProgram("mortal-client", in: "MortalClientProgram", uses: ["ScheduleTestSupport"]),
    .testProgram(
      "cache-benchmark",
      in: "CacheBenchmarkProgram",
      uses: ["BaseText", "CacheTestSupport", "FirestoreSync", "FirestoreModel", "DocumentCodec"]
    ),
    .tests(
      of: "FirestoreCache",
      uses: [
        "BaseText", "CacheTestSupport", "DocumentCodec", "FirestoreModel", "FirestoreSync",
        "ModelTestSupport", "ScheduleTestSupport", "mortal-client", grdb,
      ]
    ),
    .testSupport(
      "SpecCaseRunner",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "CacheTestSupport", "FirestoreSync", "FirestoreModel",
        "DocumentCodec",
      ]
    ),
    .testProgram("spec-cases", in: "SpecCaseProgram", uses: ["SpecCaseRunner"]),
    .tests(
      of: "FirestoreSync",
      uses: ["FirestoreModel", "ScheduleTestSupport", "SpecCaseRunner"],
      excludes: ["Cases"]
    ),
    .library(
      "SDK/FirestoreClient",
      uses: [
        "BaseText", "BaseJSON", "BaseStatus", "FirebaseCore", "FirestoreModel", "DocumentCodec",
        "FirestoreSync", "Locking",
      ]
    ),
    .tests(
      of: "FirestoreClient",
      uses: [
        "BaseText", "BaseStatus", "FirestoreModel", "DocumentCodec", "FirestoreSync",
        "ModelTestSupport", "SDKTestSupport", "brasa",
      ]
    ),
    // Runs the program for tests of the SDK.
    .testSupport("SDKTestSupport"),
    .library("SDK/FirebaseAuth", uses: ["FirebaseCore", "Locking"]),
    .tests(of: "FirebaseAuth", uses: ["FirebaseCore", "SDKTestSupport", "brasa"]),
    .library("SDK/FirebaseSharedSwift"),
    .library(
      "SDK/FirebaseFirestore",
      uses: [
        "BaseText", "BaseStatus", "FirebaseCore", "FirebaseSharedSwift", "FirestoreModel",
        "DocumentCodec", "FirestoreSync", "FirestoreCache", "FirestoreClient", "Locking",
      ]
    ),
    .testProgram(
      "sdk-app",
      in: "SDKAppProgram",
      uses: ["FirebaseAuth", "FirebaseCore", "FirebaseFirestore"]
    ),
    .testProgram(
      "sdk-benchmark",
      in: "SDKBenchmarkProgram",
      uses: ["FirebaseCore", "FirebaseFirestore", "SDKTestSupport"]
    ),
    .testProgram(
      "mortal-app",
      in: "MortalAppProgram",
      uses: ["FirebaseFirestore", "FirebaseCore"]
    ),
    .tests(
      of: "FirebaseFirestore",
      uses: [
        "BaseText", "FirebaseAuth", "FirebaseCore", "FirestoreModel", "DocumentCodec",
        "FirestoreSync", "SDKTestSupport", "brasa", "mortal-app",
      ]
    ),
    .library("SDK/FirebaseFirestoreSwift", uses: ["FirebaseFirestore"]),
    .library("SDK/FirebaseInstallations", uses: ["BaseText", "FirebaseCore"]),
    .tests(of: "FirebaseInstallations", uses: ["FirebaseCore", "SDKTestSupport", "brasa"]),
    .library(
      "SDK/FirebaseAnalytics",
      uses: ["FirebaseCore", "FirebaseInstallations", "Gzip", "Locking"]
    ),
    .testProgram(
      "mortal-events",
      in: "MortalEventsProgram",
      uses: ["FirebaseAnalytics", "FirebaseInstallations"]
    ),
    .tests(
      of: "FirebaseAnalytics",
      uses: [
        "FirebaseInstallations", "FirebaseCore", "Gzip", "SDKTestSupport", "brasa", "mortal-events",
      ]
    ),
    .library("SDK/FirebaseMessaging", uses: ["FirebaseCore", "FirebaseInstallations", "Locking"]),
    .tests(
      of: "FirebaseMessaging",
      uses: ["FirebaseAuth", "FirebaseInstallations", "SDKTestSupport", "brasa"]
    ),
    .library(
      "SDK/FirebaseFunctions",
      uses: ["FirebaseCore", "FirebaseSharedSwift", "Locking"]
    ),
    .tests(of: "FirebaseFunctions", uses: ["FirebaseCore", "SDKTestSupport"]),
    .library(
      "SDK/FirebaseFunctionsServer",
      uses: ["BaseJSON", "DocumentCodec", nio, nioPosix, nioHTTP1]
    ),
    .testProgram(
      "swift-functions",
      in: "SwiftFunctionsProgram",
      uses: ["FirebaseFunctionsServer"]
    ),
    // The example's program, which tests run as it is.
    .executableTarget(
      name: "order-status-functions",
      dependencies: ["FirebaseFunctionsServer"],
      path: "Examples/OrderStatus/Functions/Swift/Sources/functions"
    ),
    .tests(
      of: "FirebaseFunctionsServer",
      uses: ["BaseJSON", "DocumentCodec", "swift-functions"]
    ),
    .library(
      "SDK/FirebaseRemoteConfig",
      uses: ["FirebaseCore", "FirebaseInstallations", "FirebaseSharedSwift", "Locking"]
    ),
    .tests(
      of: "FirebaseRemoteConfig",
      uses: ["FirebaseInstallations", "FirebaseCore", "SDKTestSupport", "brasa"]
    ),
    .library("SDK/FirebaseStorage", uses: ["Checksums", "FirebaseCore", "Locking"]),
    .tests(
      of: "FirebaseStorage",
      uses: ["FirebaseAuth", "FirebaseCore", "SDKTestSupport", "brasa"]
    ),
    .library(
      "SDK/FirebaseUI",
      uses: ["FirebaseAuth", "FirebaseCore", "FirebaseStorage", "Locking"]
    ),
    .tests(of: "FirebaseUI", uses: ["FirebaseAuth", "FirebaseCore", "SDKTestSupport", "brasa"]),
    .library("SDK/FirebaseRemoteConfigSwift", uses: ["FirebaseRemoteConfig"]),
    .library("SDK/FirebaseStorageSwift", uses: ["FirebaseStorage"]),
    .library("SDK/FirebaseAuthCombineSwift", uses: ["FirebaseAuth", "FirebaseCore"]),
    .library("SDK/FirebaseFirestoreCombineSwift", uses: ["FirebaseFirestore", "FirebaseCore"]),
    .library("SDK/FirebaseStorageCombineSwift", uses: ["FirebaseStorage", "FirebaseCore"]),
    .library(
      "SDK/Firebase",
      uses: [
        "FirebaseAnalytics", "FirebaseAuth", "FirebaseCore", "FirebaseFirestore",
        "FirebaseInstallations", "FirebaseMessaging", "FirebaseRemoteConfig", "FirebaseStorage",
      ]
    ),

    // The rules of this file and of the folders.
    .testTarget(name: "ArchitectureTests"),
  ]
)

// Every target of ours: language mode 6, and no warning left unread.
for target in package.targets where target.type != .system {
  target.swiftSettings = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
}

// What `brasa --version` shows beside the version: the commit, which scripts/serve and scripts/test give to the build. A
// manifest could ask git itself, but SwiftPM would keep the first commit that it heard.
let commit = (Context.environment["BRASA_COMMIT"] ?? "").filter { $0.isHexDigit || $0 == "+" }
for target in package.targets where target.name == "CCommit" {
  target.cSettings = [.define("BRASA_COMMIT", to: "\"\(commit)\"")]
}
