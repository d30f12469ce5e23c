// swift-tools-version: 6.3
import PackageDescription

// The import graph of the project stands here and nowhere else; contrib/check builds with
// `--explicit-target-dependency-import-check error`, so an arrow that is not drawn here does not compile.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    // The linker can leave out and place functions one by one.
    .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
]

// Products of other packages.
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioLocks: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1: Target.Dependency = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioExtras: Target.Dependency = .product(name: "NIOExtras", package: "swift-nio-extras")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let deques: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

func linker(_ words: [String]) -> LinkerSetting {
    .unsafeFlags(words.flatMap { ["-Xlinker", $0] }, .when(configuration: .release))
}

// LLVM's linker packs the relocations of the program, 160,000 of them: 4 MB less to read at each start, and to keep
// resident. What it makes needs glibc 2.36, which Debian has had since 12. Nobody looks for symbols in the program while it
// runs: without them, what nothing calls is left out.
let packed: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld"], .when(configuration: .release)),
    linker(["-z", "pack-relative-relocs", "--no-export-dynamic"]),
]

// The functions that a start runs come first: where they are spread among all others, nearly the whole program is resident.
// `contrib/bench order --record` writes the list; names that are no more do no harm.
let ordered: LinkerSetting = linker([
    "--symbol-ordering-file=\(Context.packageDirectory)/contrib/link-order.txt", "--no-warn-symbol-ordering",
])

/// A target of ours and what it may import.
func module(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        exclude: exclude,
        resources: resources,
        swiftSettings: strict
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let package = Package(
    name: "trilateral",
    products: [.executable(name: "trilateral", targets: ["trilateral"])],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // System libraries
        .systemLibrary(
            name: "CMosquitto",
            pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]
        ),
        // Headers alone: with pkgConfig the program would need libbluetooth, of which it calls nothing.
        .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CEventFD"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        // Ours, in C: a constructor, which Swift has not.
        .target(name: "CProcess"),
        // Ours, in C: structures of the system's that must not come into Swift twice.
        .target(name: "CClock"),

        // Pure
        module("JSON"),
        module("Text", ["JSON"]),
        module("Flare", ["JSON", "Text"]),
        module("SocketIO", ["JSON", "Text"]),
        module("RateLimiting"),
        module("Positioning", ["JSON", "Flare"]),
        // The built-in profiles go into the program.
        module("Profiles", ["JSON", "Text", "Flare"], resources: [.embedInCode("BuiltIn/builtin.json")]),
        module("Things", ["JSON", "Text", "Flare", "Profiles", "Threading"]),
        module("People", ["JSON", "Text", "Flare"]),
        module("Receivers", ["JSON", "Text", "RateLimiting", "Positioning", "People"]),
        module("Bindings", ["JSON", "Text", "Flare", "Things", "People"]),
        module("Controller", ["JSON", "Text", "Flare", "People", "Things"]),
        module("Rules", ["JSON", "Text", "Flare", "Things", "People", "Controller", "Bindings"]),
        module("Messages", ["JSON", "Text", "Flare", "People", "Things", "Bindings", "Controller"]),
        module("Lamps", ["RateLimiting", "JSON", "Text", "Flare", "Things"]),
        module("PlaceMap", ["JSON", "Flare", "Things", "Controller"]),
        module("HomeAssistant", ["JSON", "Text", "Flare", "Things", "Controller", "Messages"]),
        module("Resolution", ["RateLimiting", "JSON", "Flare"]),

        // Leaves: what adapters and the shell share of the system
        module("Cryptography", ["CCrypto"]),
        module("OperatingSystem", ["JSON", "CMalloc", "CProcess", system]),
        module("Threading", ["CClock", "CEventFD", system]),
        module("Databases", ["OperatingSystem", "JSON", "Text", "Threading", grdb, sqlite, system]),

        // Adapters
        module(
            "Sensors",
            [
                "OperatingSystem", "JSON", "Flare", "Positioning", "Threading", "CBluetooth", "CCrypto",
                system, log,
            ]
        ),
        module(
            "HTTPListener",
            [
                "OperatingSystem", "JSON", "Text", "Threading", hummingbird, hummingbirdCore, nioCore,
                nioPosix, nioLocks, nioHTTP1, nioExtras,
                nioWebSocket, nioTLS, nioSSL, nioHTTPTypes, nioHTTPTypesHTTP1, httpTypes, lifecycle, log,
            ]
        ),
        module(
            "FlareServer",
            [
                "OperatingSystem", "Databases",
                "JSON", "Text", "Flare", "People", "SocketIO", "HTTPListener", "Threading", hummingbird,
                nioCore, nioPosix,
                nioLocks,
                httpTypes, grdb, sqlite, deques, system, lifecycle, log,
            ]
        ),
        module(
            "FlareClient",
            [
                "OperatingSystem",
                "RateLimiting",
                "JSON", "Flare", "SocketIO", "Threading", nioCore, nioPosix, nioHTTP1, nioWebSocket, nioSSL,
                deques,
                log,
            ]
        ),
        module("MQTT", ["Text", "Threading", "CMosquitto", "COpenSSL", deques, system, log]),
        module(
            "Bridge",
            [
                "JSON", "Text", "Flare", "People", "Things", "Bindings", "Controller", "Messages", "Lamps",
                "PlaceMap", "HomeAssistant", "RateLimiting",
                "MQTT", "Threading", log,
            ]
        ),
        module(
            "Web",
            [
                "OperatingSystem",
                "JSON", "Text", "Flare", "People", "Things", "Bindings", "Controller", "Messages", "PlaceMap",
                "HTTPListener",
                "Threading",
                "Cryptography", "CZlib", hummingbird, nioCore, nioPosix, httpTypes, deques,
                lifecycle,
                log,
            ],
            // The kiosk page and the description of the API go into the program.
            resources: [.embedInCode("Page"), .embedInCode("API/openapi.json")]
        ),

        module(
            "Directory",
            ["OperatingSystem", "Resolution", "Threading", "Cryptography", nioCore, nioPosix, grdb, log]
        ),
        module(
            "Accounts",
            [
                "People", "JSON", "Text", "Flare", "Things", "Bindings", "Cryptography", "CCrypto",
                "Threading",
                system, grdb, sqlite,
            ]
        ),
        module(
            "History",
            [
                "OperatingSystem", "Databases", "People", "Bindings", "JSON", "Threading", "CZlib", grdb,
                sqlite,
            ]
        ),
        module(
            "Administration",
            [
                "OperatingSystem", "Accounts", "HTTPListener", "People", "JSON", "Text", "Flare",
                "Cryptography",
                "Threading", log,
            ]
        ),

        // Shell
        module(
            "Settings",
            [
                "OperatingSystem",
                "JSON", "Text", "Flare", "Resolution", "Positioning", "Profiles", "Things", "Controller",
                "Rules",
                "HomeAssistant",
                "Sensors",
                "MQTT",
                "Bridge", "FlareServer", "FlareClient", yams,
            ]
        ),
        module(
            "Sensing",
            [
                "OperatingSystem",
                "Flare", "Positioning", "Controller", "Messages", "Sensors", "MQTT", "Receivers",
                "Threading", log,
            ]
        ),
        module(
            "Daemon",
            [
                "OperatingSystem", "Databases",
                "Settings", "Sensing", "JSON", "Text", "Flare", "SocketIO", "Positioning", "Profiles",
                "Receivers", "Controller", "Messages",
                "Things", "Lamps", "PlaceMap", "HomeAssistant", "Sensors", "HTTPListener", "FlareServer",
                "FlareClient",
                "MQTT",
                "Bridge", "Web", "Resolution", "Directory", "Cryptography", "People", "Accounts", "Bindings",
                "Rules", "History", "Administration", "Threading", deques, lifecycle, grdb, system,
                httpTypes, log,
            ]
        ),
        module(
            "TrilateralApp",
            [
                "OperatingSystem", "Databases",
                "Settings", "Sensing", "Daemon", "JSON", "Text", "Flare", "Positioning", "Profiles", "Things",
                "Receivers",
                "Controller",
                "Messages", "Lamps", "HomeAssistant", "Bridge", "Sensors", "HTTPListener", "FlareServer",
                "FlareClient", "MQTT", "Threading", "CMalloc", "CProcess", "CSQLite", "Resolution",
                "Directory",
                "People", "Accounts", "Administration", "Bindings", "Rules", "Cryptography", lifecycle,
                arguments,
                nioCore, nioPosix,
                log,
            ],
            // The demo's place goes into the program, so that it runs from any folder.
            resources: [.embedInCode("Resources/place.json")]
        ),
        .executableTarget(
            name: "trilateral",
            dependencies: ["TrilateralApp"],
            swiftSettings: strict,
            linkerSettings: packed + [ordered]
        ),

        // Measurements, run by contrib/bench; beside it, in `driver`, are C programs that it compiles itself.
        .executableTarget(
            name: "trilateral-bench",
            dependencies: [
                "FlareServer", "Sensors", "Positioning", "Profiles", "Things", "Accounts", "People",
                "Bindings", "Rules",
                "History", "JSON", "Flare",
                "Threading", system, log,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "contrib/benchmarks",
            exclude: ["driver", "instructions.json"],
            swiftSettings: strict,
            linkerSettings: packed
        ),

        // Tests
        .target(
            name: "TestSupport",
            dependencies: ["MQTT", log],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: strict),
        .target(
            name: "AccountsFixture",
            dependencies: ["Accounts", "People", "Flare", grdb],
            path: "Tests/AccountsFixture",
            swiftSettings: strict
        ),
        .target(
            name: "CommandFixture",
            dependencies: ["Controller", "Flare", "JSON", "People"],
            path: "Tests/CommandFixture",
            swiftSettings: strict
        ),
        tests("OperatingSystemTests", ["OperatingSystem", "TestSupport"]),
        tests("ThreadingTests", ["Threading", "TestSupport"]),
        tests("DatabasesTests", ["Databases", "OperatingSystem", "TestSupport", grdb]),
        tests("CryptographyTests", ["Cryptography"]),
        tests("JSONTests", ["JSON", "SeededRandom"]),
        tests("TextTests", ["Text", "JSON", "SeededRandom"]),
        tests("FlareTests", ["JSON", "Text", "Flare", "SeededRandom"]),
        tests("RateLimitingTests", ["RateLimiting"]),
        tests("SocketIOTests", ["SocketIO", "SeededRandom"]),
        tests("ResolutionTests", ["Resolution", "SeededRandom"]),
        tests("PeopleTests", ["People", "Text", "Flare", "SeededRandom"]),
        tests(
            "DirectoryTests",
            ["Directory", "Resolution", "Flare", "Threading", "TestSupport", log]
        ),
        tests(
            "AccountsTests",
            [
                "TestSupport", "AccountsFixture", "Accounts", "Bindings", "People", "JSON", "Flare",
                "SeededRandom",
                "Threading",
                grdb,
            ]
        ),
        tests(
            "HistoryTests",
            [
                "History", "Databases", "OperatingSystem", "Bindings", "People", "JSON", "Threading",
                "TestSupport",
                "SeededRandom", grdb,
            ]
        ),
        tests(
            "AdministrationTests",
            [
                "AccountsFixture", "Administration", "Accounts", "HTTPListener", "People", "JSON", "Flare",
                "TestSupport", "Threading", grdb,
            ]
        ),
        tests(
            "ReceiversTests",
            ["Receivers", "Sensors", "Positioning", "JSON", "Flare", "SeededRandom"]
        ),
        tests("PositioningTests", ["Positioning", "JSON", "Flare"], resources: [.copy("Walks")]),
        tests("ProfilesTests", ["Profiles", "JSON", "Flare", "SeededRandom"]),
        tests("ThingsTests", ["Things", "Profiles", "JSON", "Flare", "SeededRandom"]),
        tests(
            "RulesTests",
            [
                "Rules", "Bindings", "Controller", "People", "Things", "JSON", "Text", "Flare",
                "SeededRandom",
            ]
        ),
        tests(
            "BindingsTests",
            ["Bindings", "People", "Things", "JSON", "Text", "Flare", "SeededRandom"]
        ),
        tests(
            "ControllerTests",
            [
                "CommandFixture", "Controller", "People", "Things", "Profiles", "JSON", "Flare",
                "SeededRandom",
            ],
            resources: [.copy("Traces")]
        ),
        tests(
            "MessagesTests",
            [
                "CommandFixture", "Messages", "People", "Controller", "Things", "Bindings", "Profiles",
                "JSON",
                "Text", "Flare", "SeededRandom",
            ]
        ),
        tests("LampsTests", ["Lamps", "Things", "Profiles", "JSON", "Flare", "SeededRandom"]),
        tests(
            "PlaceMapTests",
            ["PlaceMap", "Controller", "Things", "Profiles", "JSON", "Flare", "SeededRandom"]
        ),
        tests(
            "HomeAssistantTests",
            [
                "HomeAssistant", "Messages", "Controller", "Things", "Profiles", "JSON", "Flare",
                "SeededRandom",
            ]
        ),
        tests(
            "SensorsTests",
            [
                "Sensors", "Positioning", "JSON", "Flare", "Threading", "TestSupport", "SeededRandom", system,
                log,
            ]
        ),
        tests(
            "HTTPListenerTests",
            [
                "HTTPListener", "TestSupport", "SeededRandom", hummingbird, httpTypes, nioCore, nioEmbedded,
                nioPosix, nioSSL, lifecycle, log,
            ]
        ),
        tests(
            "FlareServerTests",
            [
                "OperatingSystem", "Databases",
                "FlareServer", "SocketIO", "HTTPListener", "JSON", "Flare", "People", "Threading",
                "TestSupport",
                "SeededRandom",
                lifecycle, grdb, log,
            ],
            resources: [.copy("Traces")]
        ),
        tests(
            "FlareClientTests",
            [
                "FlareClient", "FlareServer", "HTTPListener", "JSON", "Flare", "SocketIO", "Threading",
                "TestSupport",
                "SeededRandom",
                nioCore, nioPosix, nioHTTP1, nioWebSocket, nioSSL, lifecycle, log,
            ]
        ),
        tests("MQTTTests", ["MQTT", "Text", "Threading", "TestSupport", "SeededRandom", "COpenSSL", log]),
        tests(
            "BridgeTests",
            [
                "Bridge", "HomeAssistant", "Messages", "Controller", "People", "Things", "Bindings", "Lamps",
                "JSON", "Text", "Flare",
                "MQTT", "Threading", "TestSupport", "SeededRandom", log,
            ]
        ),
        tests(
            "WebTests",
            [
                "CommandFixture", "Web", "Bindings", "HTTPListener", "Messages", "Controller", "Things",
                "JSON", "Flare",
                "People", "Cryptography",
                "Accounts", "Administration", "Threading",
                "TestSupport", httpTypes, lifecycle, log, grdb,
            ]
        ),
        tests(
            "SettingsTests",
            [
                "Bridge", "FlareClient", "MQTT", "OperatingSystem", "Settings", "Profiles", "Rules", "JSON",
                "Text",
                "Flare",
                "TestSupport", "SeededRandom",
            ]
        ),
        tests(
            "SensingTests",
            [
                "Sensing", "Sensors", "Positioning", "Controller", "Flare", "MQTT", "Receivers", "JSON",
                "Threading",
                "TestSupport", log,
            ]
        ),
        tests(
            "DaemonTests",
            [
                "OperatingSystem", "Databases",
                "Daemon", "Sensing", "Settings", "Sensors", "Positioning", "Profiles", "Controller", "Things",
                "Messages", "People", "Bindings", "Rules", "History", "Accounts", "Administration", "JSON",
                "Receivers", "Text",
                "Flare",
                "MQTT", "Bridge",
                "Threading", "Web", "HTTPListener", "TestSupport",
                lifecycle,
                grdb,
                log,
            ],
            resources: [.copy("Databases")]
        ),
        tests(
            "TrilateralAppTests",
            [
                "TrilateralApp", "OperatingSystem", "Databases", "Daemon", "Settings", "HTTPListener",
                "FlareServer",
                "Sensors",
                "Positioning", "Profiles", "Receivers", "Controller", "Messages", "MQTT", "Things", "JSON",
                "Text", "Flare", "Threading",
                "TestSupport",
                "SeededRandom",
                arguments, lifecycle, log,
            ],
            resources: [.copy("Pictures/Screens")]
        ),
        tests(
            "ContribTests",
            [
                "Daemon", "HomeAssistant", "Messages", "Controller", "Things", "Settings", "Web", "JSON",
                "Flare", "Receivers",
                "TestSupport",
                yams,
            ]
        ),
        tests(
            "IntegrationTests",
            [
                "OperatingSystem",
                "Daemon", "Settings", "Bridge", "Controller", "Messages", "Things", "Bindings", "FlareServer",
                "FlareClient", "HTTPListener", "MQTT", "Web", "Cryptography", "Sensors", "Positioning",
                "Receivers",
                "JSON", "Text", "Flare", "People", "Accounts", "Threading", "TestSupport", lifecycle, grdb,
                log,
            ],
            resources: [.copy("Recordings")]
        ),
    ]
)
