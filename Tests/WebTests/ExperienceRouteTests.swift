import CommandFixture
import Controller
import Foundation
import JSON
import TestSupport
import Testing
@testable import Web

/// What a configuration adds to the page, and the screens of displays.
@Suite(.timeLimit(.minutes(1)))
struct ExperienceRouteTests {
    @Test func `the experience has the language of now`() async throws {
        let node = try FakeNode()
        var lifecycle = Lifecycle.Settings()
        lifecycle.languages = [
            .init(tag: "de", appName: "a", shortAppName: "b", spokenName: "c")
        ]
        let settings = lifecycle
        try await withWeb(node) {
            $0.experience = ["modules": ["Tile"], "strings": ["de": ["on": "Ein"]]]
        } _: { port in
            let first = try await request("GET", "/api/experience", port: port)
            #expect(
                try JSONValue(parsing: first.body) == [
                    "language": "en", "modules": ["Tile"], "strings": ["de": ["on": "Ein"]],
                ]
            )
            node.change([.lifecycle]) {
                $0.lifecycle = Lifecycle(settings)
                _ = $0.lifecycle.setLanguage("de")
            }
            let second = try await request("GET", "/api/experience", port: port)
            #expect(try JSONValue(parsing: second.body)["language"] == "de")
        }
    }

    @Test func `a session says whether the requester may use the page, and is asked without one`()
        async throws
    {
        try await withWeb(try FakeNode()) { port in
            let open = try await request("GET", "/api/session", port: port)
            let json = try JSONValue(parsing: open.body)
            #expect(json["signed_in"] == true && json["by_session"] == false && json["password"] == false)
        }
        try await withWeb(try FakeNode(), people: Users.people(Users.Known(), hasPassword: true)) { port in
            let none = try await request("GET", "/api/session", port: port)
            #expect(none.status == 200)
            let json = try JSONValue(parsing: none.body)
            #expect(json["signed_in"] == false && json["user"] == .null && json["password"] == true)
            let known = try await request(
                "GET",
                "/api/session",
                port: port,
                headers: ["Authorization: Bearer open sesame"]
            )
            #expect(try JSONValue(parsing: known.body)["signed_in"] == true)
            #expect(try await request("GET", "/api/experience", port: port).status == 401)
            #expect(try await request("GET", "/kiosk/modules/Tile.js", port: port).status == 401)
        }
    }

    // MARK: Modules

    private static func withModules(
        _ body: @escaping @Sendable (TemporaryFolder, Int) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder.path("modules"),
                withIntermediateDirectories: true
            )
            try await withWeb(try FakeNode()) {
                $0.modulesFolder = folder.path("modules")
            } _: { port in
                try await body(folder, port)
            }
        }
    }

    @Test func `a module and a picture are served as they are, and not again to those who have them`()
        async throws
    {
        try await Self.withModules { folder, port in
            try folder.write("export default class {}", to: "modules/Tile.js")
            try folder.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "modules/fan.svg")
            let module = try await request("GET", "/kiosk/modules/Tile.js", port: port)
            #expect(module.status == 200 && module.body == "export default class {}")
            #expect(module.headers["content-type"] == "text/javascript; charset=utf-8")
            #expect(module.headers["x-content-type-options"] == "nosniff")
            let tag = try #require(module.headers["etag"])
            let again = try await request(
                "GET",
                "/kiosk/modules/Tile.js",
                port: port,
                headers: ["If-None-Match: \(tag)"]
            )
            #expect(again.status == 304 && again.body.isEmpty)
            let picture = try await request("GET", "/kiosk/modules/fan.svg", port: port)
            #expect(picture.headers["content-type"] == "image/svg+xml")
            #expect(picture.headers["content-security-policy"]?.contains("sandbox") == true)
            try folder.write("export default class { mount() {} }", to: "modules/Tile.js")
            #expect(try await request("GET", "/kiosk/modules/Tile.js", port: port).body.contains("mount"))
        }
    }

    @Test(
        arguments: [
            "../secret.js", "..%2fsecret.js", "%2e%2e/secret.js", "..%5csecret.js", ".hidden.js", "Tile",
            "Tile.html",
            "Tile.js.txt", "link.js", "pipe.js", "folder.js", "large.js", "Tile.js%00", "", "a/b.js",
            "Gone.js",
        ]
    )
    func `nothing else is served, and nothing outside the folder`(name: String) async throws {
        try await Self.withModules { folder, port in
            try folder.write("secret", to: "secret.js")
            for plain in [".hidden.js", "Tile", "Tile.html", "Tile.js.txt"] {
                try folder.write("secret", to: "modules/\(plain)")
            }
            try folder.write(String(repeating: "x", count: 256 * 1024 + 1), to: "modules/large.js")
            let (link, target) = (folder.path("modules/link.js"), folder.path("secret.js"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            #expect(mkfifo(folder.path("modules/pipe.js"), 0o600) == 0)
            try FileManager.default.createDirectory(
                atPath: folder.path("modules/folder.js"),
                withIntermediateDirectories: false
            )
            let reply = try await request("GET", "/kiosk/modules/\(name)", port: port)
            #expect(reply.status == 404, "\(reply)")
            #expect(!reply.body.contains("secret\""))
        }
    }

    @Test func `without a folder there are no modules`() async throws {
        try await withWeb(try FakeNode()) { port in
            let reply = try await request("GET", "/kiosk/modules/Tile.js", port: port)
            #expect(reply.status == 404)
        }
    }

    // MARK: Screens

    @Test func `a call for a display is a command`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let reply = try await post(
                "/api/display/hall/screen",
                #"{"call":"pushScreen","screen":"plan","thing":"red-lamp","tx":1}"#,
                port: port
            )
            #expect(reply.status == 200)
            #expect(try await post("/api/display/all/screen", #""back""#, port: port).status == 200)
            #expect(
                node.commands.map(\.operation) == [
                    .show(.pushScreen("plan", thing: "red-lamp"), display: "hall"),
                    .show(.back, display: "all"),
                ]
            )
            #expect(try await post("/api/display/hall/screen", "{}", port: port).status == 400)
        }
    }

    @Test func `a display hears of its own screens, first after the state, and others do not`() async throws {
        let node = try FakeNode()
        node.change([.screen("hall")]) {
            $0.screens = ["hall": ScreenStack("home"), "door": ScreenStack("home")]
        }
        try await withWeb(node) { port in
            try await onThread {
                let hall = try StreamReader(port: port, display: "hall")
                let anybody = try StreamReader(port: port)
                #expect(try hall.next()?.name == "state")
                let home = try #require(try hall.next())
                #expect(home.name == "screen" && home.data["screen"] == "home")
                #expect(try anybody.next()?.name == "state")
                node.change([.screen("door")]) { $0.screens["door"]?.push(.init("plan")) }
                node.change([.screen("hall")]) {
                    $0.screens["hall"]?.push(.init("details", thing: FakeNode.lamp))
                }
                node.change([.alert("gps")]) { _ in }
                let details = try #require(try hall.next())
                #expect(details.name == "screen")
                #expect(
                    details.data == [
                        "screen": "details", "thing": "red-lamp",
                        "stack": [["screen": "home"], ["screen": "details", "thing": "red-lamp"]],
                    ]
                )
                #expect(try hall.next()?.name == "alert")
                #expect(try anybody.next()?.name == "alert")
            }
        }
    }

    @Test func `a display that comes back hears what it has missed of its own screens`() async throws {
        let node = try FakeNode()
        node.change([.screen("hall")]) { $0.screens = ["hall": ScreenStack("home")] }
        try await withWeb(node) { port in
            let id = try await onThread {
                let reader = try StreamReader(port: port, display: "hall")
                _ = try reader.next()
                return try reader.next()?.id
            }
            node.change([.screen("door")]) { $0.screens["door"] = ScreenStack("home") }
            node.change([.screen("hall")]) { $0.screens["hall"]?.push(.init("plan")) }
            try await onThread {
                let reader = try StreamReader(port: port, display: "hall", after: id)
                let missed = try #require(try reader.next())
                #expect(missed.name == "screen" && missed.data["screen"] == "plan")
            }
        }
    }

    @Test func `no display may be called all`() async throws {
        try await withWeb(try FakeNode()) { port in
            let presence = try await post("/api/display/all/presence", #""visible""#, port: port)
            #expect(presence.status == 400)
            let stream = try await request("GET", "/api/events?display=all", port: port)
            #expect(stream.status == 400)
        }
    }
}
