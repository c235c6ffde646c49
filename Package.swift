// swift-tools-version: 6.2

import PackageDescription

/// Every target of ours: language mode 6 and no warning left unread.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(
  name: "NIOHTTPTypesHTTP1",
  package: "swift-nio-extras"
)
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let arguments = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle",
  package: "swift-service-lifecycle"
)

let unixSignals = Target.Dependency.product(
  name: "UnixSignals",
  package: "swift-service-lifecycle"
)

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

let package = Package(
  name: "brasa",
  // macOS is higher, as one clause is for all targets and the server's need it. No server is built for iOS.
  platforms: [.macOS(.v15), .iOS(.v16)],
  // Only what apps link. The programs are products without being declared, so that SwiftPM fetches for an
  // app what the libraries need and nothing of the server's.
  products: [
    .library(name: "Firebase", targets: ["Firebase"]),
    .library(name: "FirebaseAnalytics", targets: ["FirebaseAnalytics"]),
    .library(name: "FirebaseAuth", targets: ["FirebaseAuth"]),
    .library(name: "FirebaseAuthCombineSwift", targets: ["FirebaseAuthCombineSwift"]),
    .library(name: "FirebaseCore", targets: ["FirebaseCore"]),
    .library(name: "FirebaseFirestore", targets: ["FirebaseFirestore"]),
    .library(name: "FirebaseFirestoreCombineSwift", targets: ["FirebaseFirestoreCombineSwift"]),
    .library(name: "FirebaseFirestoreSwift", targets: ["FirebaseFirestoreSwift"]),
    .library(name: "FirebaseInstallations", targets: ["FirebaseInstallations"]),
    .library(name: "FirebaseMessaging", targets: ["FirebaseMessaging"]),
    .library(name: "FirebaseRemoteConfig", targets: ["FirebaseRemoteConfig"]),
    .library(name: "FirebaseRemoteConfigSwift", targets: ["FirebaseRemoteConfigSwift"]),
    .library(name: "FirebaseSharedSwift", targets: ["FirebaseSharedSwift"]),
    .library(name: "FirebaseStorage", targets: ["FirebaseStorage"]),
    .library(name: "FirebaseStorageCombineSwift", targets: ["FirebaseStorageCombineSwift"]),
    .library(name: "FirebaseStorageSwift", targets: ["FirebaseStorageSwift"]),
    .library(name: "FirebaseUI", targets: ["FirebaseUI"]),
  ],
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
    // Values, queries and writes: the vocabulary.
    .target(
      name: "FirestoreModel",
      path: "Sources/Vocabulary/FirestoreModel",
      swiftSettings: strict
    ),
    .target(
      name: "DocumentCodec",
      dependencies: ["FirestoreModel"],
      path: "Sources/Vocabulary/DocumentCodec",
      swiftSettings: strict
    ),
    .target(name: "Locking", path: "Sources/Vocabulary/Locking", swiftSettings: strict),
    .testTarget(name: "LockingTests", dependencies: ["Locking"], swiftSettings: strict),
    .systemLibrary(
      name: "CZlib",
      path: "Sources/Vocabulary/CZlib",
      providers: [.apt(["zlib1g-dev"])]
    ),
    .target(
      name: "Gzip",
      dependencies: ["CZlib", "Locking"],
      path: "Sources/Vocabulary/Gzip",
      swiftSettings: strict
    ),
    .testTarget(
      name: "GzipTests",
      dependencies: ["Gzip", "CZlib", "ModelTestSupport"],
      swiftSettings: strict
    ),
    .target(
      name: "ModelTestSupport",
      dependencies: ["FirestoreModel"],
      path: "Tests/ModelTestSupport",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirestoreModelTests",
      dependencies: ["FirestoreModel", "ModelTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "DocumentCodecTests",
      dependencies: ["FirestoreModel", "DocumentCodec", "ModelTestSupport"],
      swiftSettings: strict
    ),
    .target(
      name: "FirestoreWire",
      dependencies: ["FirestoreModel", "DocumentCodec", protobuf],
      path: "Sources/API/FirestoreWire",
      exclude: ["Protos"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirestoreWireTests",
      dependencies: [
        "FirestoreModel", "DocumentCodec", "FirestoreWire", "ModelTestSupport", protobuf,
      ],
      swiftSettings: strict
    ),

    // Storage.
    .target(name: "KeyValueStore", path: "Sources/Engine/KeyValueStore", swiftSettings: strict),
    .systemLibrary(
      name: "CRocksDB",
      path: "Sources/Engine/CRocksDB",
      pkgConfig: "rocksdb",
      providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]
    ),
    .target(
      name: "KeyValueRocksDB",
      dependencies: ["KeyValueStore", "CRocksDB"],
      path: "Sources/Engine/KeyValueRocksDB",
      swiftSettings: strict
    ),
    .target(
      name: "KeyValuePostgres",
      dependencies: ["KeyValueStore"],
      path: "Sources/Engine/KeyValuePostgres",
      swiftSettings: strict
    ),
    .target(
      name: "PostgresTestSupport",
      dependencies: ["KeyValueStore"],
      path: "Tests/PostgresTestSupport",
      exclude: ["server.sh"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "postgres-writer",
      dependencies: ["KeyValueStore", "KeyValuePostgres", "PostgresTestSupport"],
      path: "Tests/PostgresWriterProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "KeyValuePostgresTests",
      dependencies: [
        "KeyValueStore", "KeyValuePostgres", "ModelTestSupport", "PostgresTestSupport",
        "postgres-writer",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "KeyValueStoreTests",
      dependencies: [
        "KeyValueStore", "KeyValueRocksDB", "KeyValuePostgres", "ModelTestSupport",
        "PostgresTestSupport",
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "engine-fault-driver",
      dependencies: ["KeyValueStore", "KeyValueRocksDB"],
      path: "Tests/Faults/Driver",
      swiftSettings: strict
    ),
    .testTarget(
      name: "KeyValueRocksDBTests",
      dependencies: [
        "KeyValueStore", "KeyValueRocksDB", "CRocksDB", "ModelTestSupport", "engine-fault-driver",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "DocumentStore",
      dependencies: ["FirestoreModel", "DocumentCodec", "KeyValueStore"],
      path: "Sources/Engine/DocumentStore",
      swiftSettings: strict
    ),
    .testTarget(
      name: "DocumentStoreTests",
      dependencies: [
        "DocumentStore", "FirestoreModel", "DocumentCodec", "KeyValueStore", "KeyValueRocksDB",
        "KeyValuePostgres", "ModelTestSupport", "PostgresTestSupport",
      ],
      swiftSettings: strict
    ),

    // Who may do what.
    .target(
      name: "SecurityRules",
      dependencies: ["FirestoreModel"],
      path: "Sources/Access/SecurityRules",
      swiftSettings: strict
    ),
    .testTarget(
      name: "SecurityRulesTests",
      dependencies: ["SecurityRules", "FirestoreModel", "ModelTestSupport"],
      swiftSettings: strict
    ),
    .target(
      name: "Access",
      dependencies: [
        "FirestoreModel", "DocumentCodec", "DocumentStore", "KeyValueStore", "SecurityRules",
        crypto, logging,
      ],
      path: "Sources/Access/Access",
      swiftSettings: strict
    ),

    .target(
      name: "AccessTestSupport",
      dependencies: ["Access", "FirestoreModel", crypto, logging],
      path: "Tests/AccessTestSupport",
      swiftSettings: strict
    ),
    .testTarget(
      name: "AccessTests",
      dependencies: [
        "Access", "AccessTestSupport", "DocumentCodec", "DocumentStore", "FirestoreModel",
        "KeyValueStore", "SecurityRules", logging,
      ],
      swiftSettings: strict
    ),

    .systemLibrary(
      name: "CCrypt",
      path: "Sources/Services/CCrypt",
      providers: [.apt(["libcrypt-dev"])]
    ),
    .target(
      name: "Authentication",
      dependencies: [
        "FirestoreModel", "KeyValueStore",
        .target(name: "CCrypt", condition: .when(platforms: [.linux])),
        crypto, cryptoExtras, jwt, asn1, x509,
      ],
      path: "Sources/Services/Authentication",
      swiftSettings: strict
    ),
    .testTarget(
      name: "AuthenticationTests",
      dependencies: [
        "Authentication", "FirestoreModel", "KeyValueStore", "KeyValueRocksDB", "ModelTestSupport",
        crypto, cryptoExtras, jwt,
      ],
      swiftSettings: strict
    ),
    .target(
      name: "AuditTrail",
      dependencies: ["FirestoreModel", "KeyValueStore", crypto],
      path: "Sources/Services/AuditTrail",
      swiftSettings: strict
    ),
    .testTarget(
      name: "AuditTrailTests",
      dependencies: ["AuditTrail", "FirestoreModel", "KeyValueStore"],
      swiftSettings: strict
    ),
    .target(
      name: "Installations",
      dependencies: ["FirestoreModel", "KeyValueStore", crypto],
      path: "Sources/Services/Installations",
      swiftSettings: strict
    ),
    .testTarget(
      name: "InstallationsTests",
      dependencies: ["Installations", "FirestoreModel", "KeyValueStore"],
      swiftSettings: strict
    ),
    .target(
      name: "ConfigTemplates",
      dependencies: ["FirestoreModel", "KeyValueStore", "SecurityRules", crypto],
      path: "Sources/Services/ConfigTemplates",
      swiftSettings: strict
    ),
    .testTarget(
      name: "ConfigTemplatesTests",
      dependencies: ["ConfigTemplates", "FirestoreModel", "KeyValueStore", "ModelTestSupport"],
      swiftSettings: strict
    ),
    .target(
      name: "PushMessaging",
      dependencies: ["FirestoreModel", "KeyValueStore", crypto],
      path: "Sources/Services/PushMessaging",
      swiftSettings: strict
    ),
    .testTarget(
      name: "PushMessagingTests",
      dependencies: [
        "PushMessaging", "FirestoreModel", "KeyValueStore", "ModelTestSupport", crypto,
      ],
      swiftSettings: strict
    ),
    .target(
      name: "EventAnalytics",
      dependencies: ["FirestoreModel", "KeyValueStore"],
      path: "Sources/Services/EventAnalytics",
      swiftSettings: strict
    ),
    .testTarget(
      name: "EventAnalyticsTests",
      dependencies: [
        "EventAnalytics", "FirestoreModel", "KeyValueStore", "KeyValueRocksDB", "ModelTestSupport",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "Outbound",
      dependencies: [
        "FirestoreModel", "Authentication", "ObjectStorage", "PushMessaging", "StorageWire", nio,
        nioPosix, nioSSL, nioTLS, httpClient, crypto, logging,
      ],
      path: "Sources/Server/Outbound",
      swiftSettings: strict
    ),
    // Services that messages are pushed to, for tests and measurements.
    .target(
      name: "CertificateTestSupport",
      dependencies: [asn1, crypto, x509],
      path: "Tests/CertificateTestSupport",
      swiftSettings: strict
    ),
    .target(
      name: "PushStandIns",
      dependencies: [
        "CertificateTestSupport", "FirestoreModel", crypto, nio, nioPosix, nioHTTP2, nioHPACK,
        nioSSL,
      ],
      path: "Tests/PushStandIns",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "push-stand-in",
      dependencies: ["PushStandIns", "Outbound", "PushMessaging", "FirestoreModel", crypto],
      path: "Tests/PushStandInProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "OutboundTests",
      dependencies: [
        "Outbound", "Authentication", "FirestoreModel", "PushMessaging", "PushStandIns", crypto,
        nioPosix, logging,
      ],
      swiftSettings: strict
    ),

    // Listeners.
    .target(
      name: "Realtime",
      dependencies: ["FirestoreModel", "DocumentCodec", "DocumentStore", "KeyValueStore", crypto],
      path: "Sources/Engine/Realtime",
      swiftSettings: strict
    ),
    .testTarget(
      name: "RealtimeTests",
      dependencies: [
        "Realtime", "FirestoreModel", "DocumentCodec", "DocumentStore", "KeyValueStore",
        "KeyValueRocksDB", "ModelTestSupport",
      ],
      swiftSettings: strict
    ),

    // The service and its port.
    .target(
      name: "FirestoreService",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "DocumentStore", "KeyValueStore", "Access", "Realtime",
        crypto, logging,
      ],
      path: "Sources/Services/FirestoreService",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirestoreServiceTests",
      dependencies: [
        "FirestoreService", "Access", "AccessTestSupport", "FirestoreModel", "DocumentCodec",
        "FirestoreWire", "DocumentStore", "FirestoreAPI", "ServiceModule", "Gateway",
        "KeyValueStore", "Realtime",
        "ModelTestSupport", logging,
      ],
      swiftSettings: strict
    ),
    .systemLibrary(name: "CFileRange", path: "Sources/Services/CFileRange"),
    .target(name: "CChecksum", path: "Sources/Services/CChecksum"),
    .target(
      name: "ObjectStorage",
      dependencies: [
        "FirestoreModel", "KeyValueStore", "Access", "SecurityRules", "CChecksum", "CFileRange",
        crypto, logging,
      ],
      path: "Sources/Services/ObjectStorage",
      swiftSettings: strict
    ),
    .testTarget(
      name: "ObjectStorageTests",
      dependencies: [
        "ObjectStorage", "Access", "AccessTestSupport", "DocumentStore", "FirestoreModel",
        "KeyValueStore", "KeyValueRocksDB", "ModelTestSupport", "Outbound", logging,
      ],
      swiftSettings: strict
    ),
    // What services are to the program.
    .target(
      name: "ServiceModule",
      dependencies: ["FirestoreModel", "Gzip", "Access", httpTypes, logging],
      path: "Sources/API/ServiceModule",
      swiftSettings: strict
    ),
    .testTarget(
      name: "ServiceModuleTests",
      dependencies: ["ServiceModule", "Access", "FirestoreModel", "Gzip", httpTypes, logging],
      swiftSettings: strict
    ),
    .target(
      name: "StorageWire",
      dependencies: ["FirestoreModel", crypto],
      path: "Sources/API/StorageWire",
      swiftSettings: strict
    ),
    .testTarget(
      name: "StorageWireTests",
      dependencies: ["StorageWire", "FirestoreModel", "ModelTestSupport", crypto],
      swiftSettings: strict
    ),
    .target(
      name: "FirestoreAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "FirestoreService", "Access", "ServiceModule", httpTypes,
      ],
      path: "Sources/API/FirestoreAPI",
      swiftSettings: strict
    ),
    .target(
      name: "StorageAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Gzip", "StorageWire", "ObjectStorage", "Access",
        "KeyValueStore", "ServiceModule", crypto, httpTypes, logging,
      ],
      path: "Sources/API/StorageAPI",
      swiftSettings: strict
    ),
    .testTarget(
      name: "StorageAPITests",
      dependencies: [
        "StorageAPI", "DocumentStore", "FirestoreModel", "FirestoreWire", "KeyValueStore",
        "ObjectStorage", "Access", "ServiceModule", "StorageWire", httpTypes, logging,
      ],
      swiftSettings: strict
    ),
    .target(
      name: "RulesAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Access", "SecurityRules", "KeyValueStore",
        "ServiceModule", httpTypes,
      ],
      path: "Sources/API/RulesAPI",
      swiftSettings: strict
    ),
    .target(
      name: "InstallationsAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Access", "Installations", "KeyValueStore",
        "ServiceModule", httpTypes,
      ],
      path: "Sources/API/InstallationsAPI",
      swiftSettings: strict
    ),
    .target(
      name: "ConfigAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Access", "ConfigTemplates", "KeyValueStore",
        "ServiceModule", httpTypes, logging,
      ],
      path: "Sources/API/ConfigAPI",
      swiftSettings: strict
    ),
    .testTarget(
      name: "ConfigAPITests",
      dependencies: ["ConfigAPI", "FirestoreModel"],
      swiftSettings: strict
    ),
    .target(
      name: "MessagingAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Access", "PushMessaging", "KeyValueStore",
        "ServiceModule", crypto, httpTypes, logging,
      ],
      path: "Sources/API/MessagingAPI",
      resources: [
        .embedInCode("Browser/Files/messaging.js"),
        .embedInCode("Browser/Files/messaging-store.js"),
        .embedInCode("Browser/Files/messaging-worker.js"),
        .embedInCode("Browser/Files/web.js"),
        .embedInCode("Browser/Files/web-frames.js"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "AnalyticsAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Gzip", "Access", "EventAnalytics",
        "KeyValueStore", "ServiceModule", httpTypes,
      ],
      path: "Sources/API/AnalyticsAPI",
      swiftSettings: strict
    ),
    .target(
      name: "IdentityAPI",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Access", "Authentication", "KeyValueStore",
        "ServiceModule", httpTypes, logging,
      ],
      path: "Sources/API/IdentityAPI",
      resources: [
        .embedInCode("Page/Files/action.js"), .embedInCode("Page/Files/handler.js"),
        .embedInCode("Page/Files/handler-accounts.js"),
        .embedInCode("Page/Files/handler-event.js"), .embedInCode("Page/Files/iframe.html"),
        .embedInCode("Page/Files/iframe.js"),
        .embedInCode("Page/Files/icon.svg"), .embedInCode("Page/Files/page.css"),
        .embedInCode("Page/Files/page.html"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "IdentityAPITests",
      dependencies: [
        "IdentityAPI", "Authentication", "FirestoreModel", "ServiceModule", httpTypes,
      ],
      swiftSettings: strict
    ),
    .target(
      name: "Gateway",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "ServiceModule",
        "KeyValueStore", "Access", nio, nioPosix, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1,
        nioHTTP2, nioHPACK, nioTLS, nioSSL, httpTypes, hummingbird, hummingbirdCore, logging,
        coreMetrics, lifecycle,
      ],
      path: "Sources/Server/Gateway",
      swiftSettings: strict
    ),

    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Gateway", "Access", "FirestoreAPI", "IdentityAPI", "Authentication", "ServiceModule",
        "DocumentStore",
        "FirestoreModel", "FirestoreWire",
        "FirestoreService",
        "CertificateTestSupport", "KeyValueStore", "ModelTestSupport", nio, nioPosix, nioTLS,
        nioHTTP2, nioHPACK, nioSSL, httpTypes, logging, lifecycle,
      ],
      swiftSettings: strict
    ),

    // The console in the browser.
    .target(
      name: "CConsoleFiles",
      path: "Sources/Server/CConsoleFiles",
      exclude: ["Files", "package.json"]
    ),
    .target(
      name: "Console",
      dependencies: [
        "FirestoreModel", "FirestoreWire", "Access", "AuditTrail", "Authentication",
        "KeyValueStore", "ServiceModule", "CConsoleFiles", "Gzip", crypto, httpTypes,
      ],
      path: "Sources/Server/Console",
      swiftSettings: strict
    ),
    .testTarget(
      name: "ConsoleTests",
      dependencies: [
        "Console", "Access", "Authentication", "FirestoreModel", "KeyValueStore", "ServiceModule",
        httpTypes,
      ],
      swiftSettings: strict
    ),

    // Programs.
    .systemLibrary(name: "CEpoll", path: "Sources/Server/CEpoll"),
    .executableTarget(
      name: "brasa",
      dependencies: [
        "FirestoreModel", "DocumentCodec", "FirestoreWire", "FirestoreAPI", "RulesAPI",
        "IdentityAPI", "StorageAPI", "ObjectStorage", "ConfigAPI", "ConfigTemplates",
        "EventAnalytics", "AnalyticsAPI", "Installations", "InstallationsAPI", "PushMessaging",
        "MessagingAPI", "Gateway", "Console", "AuditTrail",
        "Gzip", "StorageWire",
        "FirestoreService", "ServiceModule", "Access",
        "DocumentStore", "KeyValueStore", "KeyValuePostgres", "KeyValueRocksDB", "SecurityRules",
        "Authentication", "Outbound", "Realtime",
        arguments, asn1, coreMetrics, crypto, cryptoExtras, lifecycle,
        logging, nio, nioPosix, nioHTTP2, nioHPACK, nioSSL, unixSignals, x509,
      ],
      path: "Sources/Server/brasa",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "brasa-load",
      dependencies: [
        "FirestoreModel", "DocumentCodec", "DocumentStore", "KeyValueStore", "KeyValueRocksDB",
        "SecurityRules", "Authentication", "EventAnalytics", "PushMessaging", "CRocksDB", "CEpoll",
        nio, nioHPACK, arguments,
      ],
      path: "Sources/Server/brasa-load",
      swiftSettings: strict
    ),
    .testTarget(
      name: "brasa-loadTests",
      dependencies: ["brasa-load", "DocumentCodec"],
      swiftSettings: strict
    ),

    // The SDK for apps.
    .target(
      name: "FirebaseCore",
      dependencies: ["Locking"],
      path: "Sources/SDK/FirebaseCore",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseCoreTests",
      // The tests run the program.
      dependencies: ["FirebaseCore", "SDKTestSupport", "brasa"],
      swiftSettings: strict
    ),
    .target(
      name: "FirestoreSync",
      dependencies: ["FirestoreModel", "DocumentCodec"],
      path: "Sources/SDK/FirestoreSync",
      swiftSettings: strict
    ),
    .target(
      name: "FirestoreCache",
      dependencies: ["FirestoreSync", "FirestoreModel", "DocumentCodec", grdb, sqlite],
      path: "Sources/SDK/FirestoreCache",
      swiftSettings: strict
    ),
    .target(
      name: "CacheTestSupport",
      dependencies: ["FirestoreCache", "FirestoreModel"],
      path: "Tests/CacheTestSupport",
      swiftSettings: strict
    ),
    .target(
      name: "ScheduleTestSupport",
      dependencies: [
        "CacheTestSupport", "FirestoreCache", "FirestoreSync", "FirestoreModel", "DocumentCodec",
        "ModelTestSupport",
      ],
      path: "Tests/ScheduleTestSupport",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "mortal-client",
      dependencies: ["ScheduleTestSupport"],
      path: "Tests/MortalClientProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "cache-benchmark",
      dependencies: ["CacheTestSupport", "FirestoreSync", "FirestoreModel", "DocumentCodec"],
      path: "Tests/CacheBenchmarkProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirestoreCacheTests",
      // The tests run the program.
      dependencies: [
        "CacheTestSupport", "DocumentCodec", "FirestoreCache", "FirestoreModel", "FirestoreSync",
        "ModelTestSupport", "ScheduleTestSupport", "mortal-client", grdb,
      ],
      swiftSettings: strict
    ),
    .target(
      name: "SpecCaseRunner",
      dependencies: ["CacheTestSupport", "FirestoreSync", "FirestoreModel", "DocumentCodec"],
      path: "Tests/SpecCaseRunner",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "spec-cases",
      dependencies: ["SpecCaseRunner"],
      path: "Tests/SpecCaseProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirestoreSyncTests",
      dependencies: [
        "FirestoreSync", "FirestoreModel", "DocumentCodec", "ScheduleTestSupport", "SpecCaseRunner",
        "ModelTestSupport",
      ],
      exclude: ["Cases"],
      swiftSettings: strict
    ),

    .target(
      name: "FirestoreClient",
      dependencies: [
        "FirebaseCore", "FirestoreModel", "DocumentCodec", "FirestoreSync", "Locking",
      ],
      path: "Sources/SDK/FirestoreClient",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirestoreClientTests",
      // The tests run the program.
      dependencies: [
        "FirestoreClient", "FirebaseCore", "FirestoreModel", "DocumentCodec", "FirestoreSync",
        "ModelTestSupport", "SDKTestSupport", "brasa",
      ],
      swiftSettings: strict
    ),
    // Runs the program for tests of the SDK.
    .target(name: "SDKTestSupport", path: "Tests/SDKTestSupport", swiftSettings: strict),

    .target(
      name: "FirebaseAuth",
      dependencies: ["FirebaseCore", "Locking"],
      path: "Sources/SDK/FirebaseAuth",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseAuthTests",
      // The tests run the program.
      dependencies: ["FirebaseAuth", "FirebaseCore", "SDKTestSupport", "brasa"],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseSharedSwift",
      path: "Sources/SDK/FirebaseSharedSwift",
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseFirestore",
      dependencies: [
        "FirebaseCore", "FirebaseSharedSwift", "FirestoreModel", "DocumentCodec", "FirestoreSync",
        "FirestoreCache", "FirestoreClient", "Locking",
      ],
      path: "Sources/SDK/FirebaseFirestore",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "sdk-app",
      dependencies: ["FirebaseAuth", "FirebaseCore", "FirebaseFirestore"],
      path: "Tests/SDKAppProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "sdk-benchmark",
      dependencies: ["FirebaseCore", "FirebaseFirestore", "SDKTestSupport"],
      path: "Tests/SDKBenchmarkProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "mortal-app",
      dependencies: ["FirebaseFirestore", "FirebaseCore"],
      path: "Tests/MortalAppProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseFirestoreTests",
      // The tests run the program.
      dependencies: [
        "FirebaseFirestore", "FirebaseAuth", "FirebaseCore", "FirestoreModel", "DocumentCodec",
        "FirestoreSync", "SDKTestSupport", "brasa", "mortal-app",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseFirestoreSwift",
      dependencies: ["FirebaseFirestore"],
      path: "Sources/SDK/FirebaseFirestoreSwift",
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseInstallations",
      dependencies: ["FirebaseCore", "FirestoreModel"],
      path: "Sources/SDK/FirebaseInstallations",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseInstallationsTests",
      dependencies: ["FirebaseInstallations", "FirebaseCore", "SDKTestSupport", "brasa"],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseAnalytics",
      dependencies: ["FirebaseCore", "FirebaseInstallations", "Gzip", "Locking"],
      path: "Sources/SDK/FirebaseAnalytics",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "mortal-events",
      dependencies: ["FirebaseAnalytics", "FirebaseInstallations", "FirebaseCore"],
      path: "Tests/MortalEventsProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseAnalyticsTests",
      // The tests run the programs.
      dependencies: [
        "FirebaseAnalytics", "FirebaseInstallations", "FirebaseCore", "Gzip", "SDKTestSupport",
        "brasa", "mortal-events",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseMessaging",
      dependencies: ["FirebaseCore", "FirebaseInstallations", "Locking"],
      path: "Sources/SDK/FirebaseMessaging",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseMessagingTests",
      // The tests run the program.
      dependencies: [
        "FirebaseMessaging", "FirebaseAuth", "FirebaseInstallations", "FirebaseCore",
        "SDKTestSupport", "brasa",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseRemoteConfig",
      dependencies: ["FirebaseCore", "FirebaseInstallations", "FirebaseSharedSwift", "Locking"],
      path: "Sources/SDK/FirebaseRemoteConfig",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseRemoteConfigTests",
      dependencies: [
        "FirebaseRemoteConfig", "FirebaseInstallations", "FirebaseCore", "SDKTestSupport", "brasa",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseStorage",
      dependencies: ["FirebaseCore", "Locking"],
      path: "Sources/SDK/FirebaseStorage",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseStorageTests",
      // The tests run the program.
      dependencies: ["FirebaseStorage", "FirebaseAuth", "FirebaseCore", "SDKTestSupport", "brasa"],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseUI",
      dependencies: ["FirebaseAuth", "FirebaseCore", "FirebaseStorage", "Locking"],
      path: "Sources/SDK/FirebaseUI",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FirebaseUITests",
      // The tests run the program.
      dependencies: [
        "FirebaseUI", "FirebaseAuth", "FirebaseCore", "FirebaseStorage", "SDKTestSupport", "brasa",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseRemoteConfigSwift",
      dependencies: ["FirebaseRemoteConfig"],
      path: "Sources/SDK/FirebaseRemoteConfigSwift",
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseStorageSwift",
      dependencies: ["FirebaseStorage"],
      path: "Sources/SDK/FirebaseStorageSwift",
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseAuthCombineSwift",
      dependencies: ["FirebaseAuth", "FirebaseCore"],
      path: "Sources/SDK/FirebaseAuthCombineSwift",
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseFirestoreCombineSwift",
      dependencies: ["FirebaseFirestore", "FirebaseCore"],
      path: "Sources/SDK/FirebaseFirestoreCombineSwift",
      swiftSettings: strict
    ),
    .target(
      name: "FirebaseStorageCombineSwift",
      dependencies: ["FirebaseStorage", "FirebaseCore"],
      path: "Sources/SDK/FirebaseStorageCombineSwift",
      swiftSettings: strict
    ),
    .target(
      name: "Firebase",
      dependencies: [
        "FirebaseAnalytics", "FirebaseAuth", "FirebaseCore", "FirebaseFirestore",
        "FirebaseInstallations", "FirebaseMessaging", "FirebaseRemoteConfig", "FirebaseStorage",
      ],
      path: "Sources/SDK/Firebase",
      swiftSettings: strict
    ),

    // The rules of this file itself.
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
  ]
)
