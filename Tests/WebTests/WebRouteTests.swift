import HTTPTypes
import JSON
import Messages
import Testing

@testable import Web

struct WebRouteTests {
    private static let tables: [[WebRoute]] = [WebRoute.table(.tested), .tested]

    private static func find(
        _ path: String,
        _ method: HTTPRequest.Method = .get
    ) -> (route: WebRoute, path: [String], values: [String])? { WebRoute.find(method, path[...], in: tables) }

    @Test(
        arguments: [
            ("/", "/", []), ("/kiosk", "/kiosk", []), ("/kiosk/page.js", "/kiosk/{file}", ["page.js"]),
            ("/kiosk/1-2/page.js", "/kiosk/{version}/{file}", ["1-2", "page.js"]),
            ("/kiosk/modules/Tile.js", "/kiosk/modules/{module}", ["Tile.js"]),
            ("/kiosk/", "/kiosk/", []), ("/me/", "/me/", []),
            ("/api/environments/flat", "/api/environments/{environment}", ["flat"]),
            ("/api/zones/hall", "/api/zones/{zone}", ["hall"]),
            ("/api/things/red%20lamp", "/api/things/{thing}", ["red lamp"]),
            ("/api/%74hings/red-lamp/actions", "/api/things/{thing}/actions", ["red-lamp"]),
            ("/api/lifecycle/level/set", "/api/lifecycle/{part}/set", ["level"]),
            ("/api/display/wall/presence", "/api/display/{display}/presence", ["wall"]),
            ("/api/display/wall/screen", "/api/display/{display}/screen", ["wall"]),
            ("/api/things/red-lamp/set", "/api/things/{thing}/set", ["red-lamp"]),
            ("/api/things/red-lamp/action", "/api/things/{thing}/action", ["red-lamp"]),
            ("/api/zones/kitchen/set", "/api/zones/{zone}/set", ["kitchen"]),
            ("/api/sensors/gps/set", "/api/sensors/{sensor}/set", ["gps"]),
            ("/api/request/ping", "/api/request/ping", []),
            ("/api/request/pong", "/api/request/{verb}", ["pong"]),
            ("/api/users/b%C3%A4r/password", "/api/users/{user}/password", ["bär"]),
        ] as [(String, String, [String])]
    )
    func `a path is a route with its values decoded`(path: String, template: String, values: [String]) {
        let found = Self.find(path)
        #expect(found.map { "\($0.route.template)" } == template)
        #expect(found?.values == values)
    }

    @Test(arguments: [
        "/healthz", "/metrics", "/sign-in", "/api/openapi.json", "/api/state", "/api/environments",
        "/api/zones", "/api/things", "/api/map", "/api/lifecycle", "/api/events", "/api/experience",
        "/api/permissions", "/api/session", "/api/sign-in", "/api/sign-out", "/api/nearby/set",
        "/api/nearby/action", "/api/environment/set", "/api/device/set",
    ])
    func `a path without values is a route`(path: String) {
        #expect(Self.find(path).map { "\($0.route.template)" } == path)
    }

    @Test(arguments: [
        "", "x", "//", "/api", "/api/", "/api/state/", "/api/nothing", "/kiosk/a/b/c",
        "/kiosk/../../etc/passwd", "/nothing/", "/sign-in//",
        "/api/things/a/get", "/api/nearby/set/color", "/api/things/a/set/color", "/api/things/%zz",
        "/API/state",
        "/api/things/a/b/c/d/e/f/g", "/api/users/bob/on", "/api/users/bob/password/x", "/api/sign-in-links",
        "/api/me/x",
    ])
    func `other paths are none`(path: String) {
        #expect(Self.find(path) == nil)
    }

    @Test func `a word goes before a part that varies, whoever provides it`() {
        let provided = [
            WebRoute.reading("/api/things/lamps") { _ in .null },
            .reading("/api/{kind}") { _ in .null }, .reading("/{page}") { _ in .null },
        ]
        func template(_ path: String) -> String? {
            WebRoute.find(.get, path[...], in: Self.tables + [provided]).map { "\($0.route.template)" }
        }
        #expect(template("/api/things/lamps") == "/api/things/lamps")
        #expect(template("/api/things/red-lamp") == "/api/things/{thing}")
        #expect(template("/api/state") == "/api/state")
        #expect(template("/api/other") == "/api/{kind}")
        #expect(template("/kiosk") == "/kiosk")
        #expect(template("/other") == "/{page}")
    }

    @Test func `a path takes the methods of all that answer it, whoever provides them`() {
        let tables = Self.tables + [[.reading("/api/nearby/set") { _ in .null }]]
        let found = WebRoute.find(.delete, "/api/nearby/set", in: tables)
        #expect(found.map { WebRoute.methods($0.path, in: tables) } == [.post, .get, .head])
        #expect(WebRoute.find(.get, "/api/nearby/set", in: tables)?.route.methods == [.get, .head])
    }

    @Test func `commands are posted, objects are also made and changed, and everything else is read`() {
        func methods(_ path: String) -> [HTTPRequest.Method]? {
            Self.find(path).map { WebRoute.methods($0.path, in: Self.tables) }
        }
        #expect(methods("/api/nearby/set") == [.post])
        #expect(methods("/api/map") == [.get, .head])
        // It is a word, and no grant.
        #expect(methods("/api/grants/check") == [.get, .head])
        #expect(methods("/api/users/bob") == [.patch, .delete])
        #expect(methods("/api/log") == [.get, .head])
        for path in ["environments", "zones", "things"] {
            #expect(methods("/api/\(path)") == [.get, .head, .post])
            #expect(methods("/api/\(path)/x") == [.get, .head, .patch, .delete])
            #expect(Self.find("/api/\(path)/x", .delete)?.route.methods == [.delete])
        }
    }
}
