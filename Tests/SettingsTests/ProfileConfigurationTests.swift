import Bridge
import FlareClient
import Foundation
import Profiles
import Settings
import TestSupport
import Testing

/// Profile files as part of the configuration.
struct ProfileConfigurationTests {
    private static let valve = """
        {"oemModel": "valve-1", "class": "AylaDevice", "managedProperties": [
          {"name": "heating", "actions": [{"name": "heat_off", "value": 0}, {"name": "heat_on", "value": 1}]}
        ]}
        """

    private func result(
        _ yaml: String,
        _ files: [String: String] = [:],
        _ environment: [String: String] = [:]
    ) throws -> (Result<LoadedConfiguration, ConfigurationErrors>, folder: String) {
        let folder = try ScratchFolder()
        for (name, text) in files { _ = try folder.write(name, text) }
        let file = try folder.write("t.yaml", yaml)
        let place = String(file.dropLast("/t.yaml".count))
        do throws(ConfigurationErrors) {
            return (
                .success(
                    try ConfigurationLoader.load(file: file, environment: environment, schema: .example)
                ), place
            )
        } catch {
            return (.failure(error), place)
        }
    }

    private func load(
        _ yaml: String,
        _ files: [String: String] = [:],
        _ environment: [String: String] = [:]
    ) throws -> LoadedConfiguration {
        try result(yaml, files, environment).0.get()
    }

    /// The problems, with file names relative to the folder.
    private func problems(_ yaml: String, _ files: [String: String] = [:]) throws -> [String] {
        let (result, folder) = try result(yaml, files)
        guard case .failure(let errors) = result else { return [] }
        return errors.problems.map { "\($0)".replacing(folder + "/", with: "") }
    }

    private func sdk(_ members: String) -> [String: String] { ["amap.json": "{\"sdkConfig\": {\(members)}}"] }

    @Test func `files are relative to the configuration's folder, and joined with the built-in ones`() throws
    {
        let loaded = try load(
            "profiles: {files: [amap.json, more.yaml]}",
            ["amap.json": Self.valve, "more.yaml": "oemModel: kettle\nmanagedProperties: []\n"]
        )
        let names = loaded.values.profiles.library.profiles.map(\.name)
        #expect(names.suffix(2) == ["valve-1", "kettle"] && names.contains("blind"))
        #expect(loaded.profileWarnings.isEmpty)
    }

    @Test func `errors of a file are errors of the configuration, all of them, with their places`() throws {
        let found = try problems(
            "profiles: {files: [amap.json, more.yaml, gone.json]}\nmqtt: {port: 0}",
            [
                "amap.json": "{\"devices\": [\n{\"class\": \"AylaDevice\"}, 5]}",
                "more.yaml": "oemModel: kettle\nmanagedProperties:\n  - {name: 1x}\n",
            ]
        )
        #expect(found.count == 5, "\(found)")
        #expect(found.contains { $0.hasPrefix("amap.json:2:1: missing_field: devices[0] has no ") })
        #expect(found.contains { $0.hasPrefix("amap.json:2:26: wrong_type: devices[1] ") })
        #expect(found.contains { $0.hasPrefix("more.yaml:3:12: invalid_value: ") })
        #expect(found.contains { $0.hasPrefix("t.yaml:1:") && $0.contains("gone.json cannot be read") })
    }

    @Test func `warnings do no harm`() throws {
        let loaded = try load(
            "profiles: {files: [amap.json]}",
            [
                "amap.json": Self.valve.replacing("]},", with: "]}").replacing(
                    "\"heating\",",
                    with: "\"heating\""
                )
            ]
        )
        #expect(loaded.profileWarnings.map { $0.message.prefix(14) } == ["missing_comma:"])
        #expect(loaded.values.profiles.library.profiles.last?.name == "valve-1")
    }

    @Test func `an assigned profile must exist`() throws {
        let yaml = """
            profiles:
              files: [amap.json]
              things:
                - {thing: radiator, profile: valve-1}
                - {thing: window, profile: blnd}
                - {thing: Window, profile: blind}
            """
        #expect(
            try problems(yaml, ["amap.json": Self.valve]) == [
                "t.yaml:5:7: profiles.things: entry 2: profile: there is no profile \"blnd\"; did you mean \"blind\"?",
                "t.yaml:6:7: profiles.things: entries 2 and 3 are for one thing, \"Window\"",
            ]
        )
    }

    @Test func `one of several profiles of a name is named with its model`() throws {
        let two = """
            - {class: AylaDevice, oemModel: plug, model: P1, managedProperties: []}
            - {class: AylaDevice, oemModel: plug, model: P2, managedProperties: []}
            """
        let yaml = "profiles: {files: [two.yaml], things: [{thing: a, profile: PROFILE}]}"
        #expect(try problems(yaml.replacing("PROFILE", with: "plug/P2"), ["two.yaml": two]).isEmpty)
        let found = try problems(yaml.replacing("PROFILE", with: "plug"), ["two.yaml": two])
        #expect(found.count == 1 && found.first?.contains("plug/P1, plug/P2") == true, "\(found)")
    }

    @Test(arguments: [
        ("version: 2", "2", true), ("version: 2", "2.0", true), ("version: \"2a\"", "2a", true),
        ("version: 2", "3", false), ("name: x", "2", false),
    ]) func `the expected version must be that of the files`(file: String, expected: String, isRight: Bool)
        throws
    {
        let found = try problems(
            "profiles: {files: [a.yaml], expect_version: \(expected)}",
            ["a.yaml": "\(file)\ndevices: []\n"]
        )
        #expect(found.isEmpty == isRight, "\(found)")
        #expect(
            isRight || found.first?.hasPrefix("t.yaml:1:29: profiles.expect_version: ") == true,
            "\(found)"
        )
    }

    @Test func `the language at the start is one of the files, or English`() throws {
        let files = ["a.yaml": "strings: {de: {x: y}}\ndevices: []\n"]
        for language in ["de", "en", "DE"] {
            #expect(try problems("profiles: {files: [a.yaml], language: \(language)}", files).isEmpty)
        }
        #expect(
            try problems("profiles: {files: [a.yaml], language: fr}", files) == [
                "t.yaml:1:29: profiles.language: must be a language of the files: de, en (is \"fr\")"
            ]
        )
    }

    // MARK: - sdkConfig

    @Test func `sdkConfig sets keys that nothing else sets`() throws {
        let members = """
            "allowMobileDSS": false, "allowOfflineUse": true, "consoleLogLevel": "Verbose", "fileLogLevel": "None",
            "defaultNetworkTimeoutMs": 8500, "appSecret": "geheim"
            """
        let loaded = try load("profiles: {files: [amap.json]}", sdk(members))
        let remote = loaded.values.flare.remote
        #expect(!remote.client.streams && remote.isMirrored && remote.client.answerSeconds == 8.5)
        #expect(loaded.values.log.level == .trace && loaded.values.log.fileLevel == .none)
        #expect(loaded.origins["log.level"]?.description.contains("amap.json") == true)
        let text = ConfigurationPrinter.text(loaded, schema: .example)
        #expect(text.contains("timeout_seconds: 8.5  # from ") && !text.contains("geheim"))
        let own = try load(
            "profiles: {files: [amap.json]}\nlog: {level: error}\nflare: {remote: {stream: true}}",
            sdk(members),
            ["TRILATERAL_FLARE_REMOTE_MIRROR": "false"]
        )
        #expect(own.values.log.level == .error && own.values.flare.remote.client.streams)
        #expect(!own.values.flare.remote.isMirrored && own.values.flare.remote.client.answerSeconds == 8.5)
    }

    private static let servers = """
        profiles: {files: [amap.json]}
        flare:
          servers:
            - {name: china, type: Field, location: China, url: "http://cn.example"}
            - {name: europe, location: Europe, url: "https://eu.example"}

        """

    @Test func `the service chooses the remote server`() throws {
        let europe = sdk("\"serviceType\": \"Field\", \"serviceLocation\": \"Europe\"")
        let flare = try load(Self.servers, europe).values.flare
        #expect(flare.mode == .remote && flare.remote.url == "https://eu.example")
        let china = try load(Self.servers, sdk("\"serviceLocation\": \"China\"")).values.flare
        #expect(china.remote.url == "http://cn.example")
        // No entries, or no service: nothing.
        let plain = try load("profiles: {files: [amap.json]}", europe).values.flare
        #expect(plain.mode == .embedded && plain.remote.url == nil)
        #expect(try load(Self.servers, sdk("\"appId\": \"x\"")).values.flare.mode == .embedded)
        // What the user says counts.
        let own = try load(Self.servers + "  remote: {url: \"http://own.example\"}", europe).values.flare
        #expect(own.mode == .embedded && own.remote.url == "http://own.example")
        #expect(try load(Self.servers + "  mode: embedded", europe).values.flare.remote.url == nil)
        #expect(
            try load(Self.servers + "  mode: remote", europe).values.flare.remote.url == "https://eu.example"
        )
    }

    @Test func `a service without a server is a problem at its place`() throws {
        let found = try problems(
            Self.servers,
            sdk("\"serviceType\": \"Demo\", \"serviceLocation\": \"China\"")
        )
        #expect(
            found == [
                "amap.json:1:58: invalid_value: sdkConfig.serviceLocation must fit an entry of flare.servers: "
                    + "china (Field, China), europe (every type, Europe) (is Demo, China)"
            ]
        )
    }

    @Test(arguments: [
        (
            "- {name: a, url: 'http://a'}\n    - {name: b, url: 'http://b'}",
            "entries 1 and 2 have the same service"
        ),
        (
            "- {name: a, type: Demo, url: 'http://a'}\n    - {name: a, url: 'http://b'}",
            "entries 1 and 2 have the same name"
        ),
        ("- {name: a, type: demo, url: 'http://a'}", "entry 1: type: must be Dynamic, Field"),
        ("- {name: a, location: Mars, url: 'http://a'}", "entry 1: location: must be USA, China or Europe"),
        ("- {name: a, url: 'ftp://a'}", "entry 1: url: must be an origin"),
        ("- {name: a, url: 'http://anna:hunter2@a'}", "entry 1: url: must be an origin"),
        ("- {name: a}", "needs url"),
    ]) func `entries of servers are checked`(entries: String, words: String) throws {
        let found = try problems("flare:\n  servers:\n    \(entries)\n")
        #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
        #expect(found.allSatisfy { !$0.contains("hunter2") })
    }

    // MARK: - Modules

    @Test func `the classes of own screens are the files of the folder`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write("HeatPumpScreen.js", "export default class {}")
        _ = try folder.write("icon.svg", "<svg/>")
        let place = String(file.dropLast("/HeatPumpScreen.js".count))
        let loaded = try load("profiles: {modules: \"\(place)\"}")
        #expect(loaded.values.profiles.classes == ["HeatPumpScreen"])
    }

    @Test(arguments: [("Heat-Pump.js", 10), ("1.js", 10), ("a b.js", 10), ("Big.js", 256 * 1024 + 1)])
    func `a module with a name that is no class, or too large a one, is a problem`(name: String, size: Int)
        throws
    {
        let folder = try ScratchFolder()
        let file = try folder.write(name, String(repeating: " ", count: size))
        let place = String(file.dropLast(name.count + 1))
        let found = try problems("profiles: {modules: \"\(place)\"}")
        #expect(found.count == 1 && found.first?.contains(name) == true, "\(found)")
    }

    @Test func `a hidden file is no module`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write("Own.js", "")
        for name in [".hid.js", "._Own.js", ".#Own.js"] { _ = try folder.write(name, "") }
        let place = String(file.dropLast("/Own.js".count))
        #expect(try load("profiles: {modules: \"\(place)\"}").values.profiles.classes == ["Own"])
    }

    @Test func `a link out of the folder of modules is a problem, and one within is not`() throws {
        let folder = try ScratchFolder()
        let other = try ScratchFolder()
        let (inner, outer) = (try folder.write("Own.js", ""), try other.write("Out.js", ""))
        let place = String(inner.dropLast("/Own.js".count))
        try FileManager.default.createSymbolicLink(atPath: "\(place)/Same.js", withDestinationPath: "Own.js")
        let yaml = "profiles: {modules: \"\(place)\"}"
        #expect(try load(yaml).values.profiles.classes == ["Own", "Same"])
        try FileManager.default.createSymbolicLink(atPath: "\(place)/Out.js", withDestinationPath: outer)
        let found = try problems(yaml)
        #expect(
            found.count == 1 && found.first?.contains("Out.js is a link to a file outside") == true,
            "\(found)"
        )
    }

    @Test func `who needs no profiles is not stopped by a broken file, nor by what it would have set`() throws
    {
        let folder = try ScratchFolder()
        _ = try folder.write("amap.json", "{")
        let file = try folder.write(
            "t.yaml",
            "profiles: {files: [amap.json]}\nflare: {mode: remote}\nmqtt: {base: b}\n"
        )
        let loaded = try ConfigurationLoader.load(
            file: file,
            environment: [:],
            schema: .example,
            readsProfiles: false
        )
        #expect(loaded.values.bridge.base == "b")
    }

    @Test func `a folder of modules that is not there is a problem`() throws {
        let found = try problems("profiles: {modules: nothing}")
        #expect(found == ["t.yaml:1:12: profiles.modules: nothing cannot be read: No such file or directory"])
    }
}
