import HTTPTypes
import Messages
import Testing

@testable import Web

struct WebRouteTests {
    @Test(
        arguments: [
            ("/", .start), ("/kiosk", .kiosk), ("/kiosk/page.js", .file("page.js")),
            ("/kiosk/1-2/page.js", .file("page.js", version: "1-2")), ("/api/permissions", .permissions),
            ("/healthz", .health), ("/kiosk/", .slashed("kiosk")), ("/me/", .slashed("me")),
            ("/api/state", .state), ("/api/environments", .environments), ("/api/zones", .zones),
            ("/api/environments/flat", .environment("flat")), ("/api/zones/hall", .zone("hall")),
            ("/api/things", .things), ("/api/things/red-lamp", .thing("red-lamp")),
            ("/api/things/red%20lamp", .thing("red lamp")),
            ("/api/things/red-lamp/actions", .actions(thing: "red-lamp")), ("/api/map", .map),
            ("/api/lifecycle", .lifecycle),
            ("/api/lifecycle/level/set", .command(.lifecycleSet("level"))),
            ("/api/events", .events), ("/api/display/wall/presence", .presence(display: "wall")),
            ("/api/things/red-lamp/set", .command(.thingSet("red-lamp"))),
            ("/api/things/red-lamp/action", .command(.thingAction("red-lamp"))),
            ("/api/nearby/set", .command(.nearbySet)), ("/api/nearby/action", .command(.nearbyAction)),
            ("/api/zones/kitchen/set", .command(.zoneSet("kitchen"))),
            ("/api/environment/set", .command(.environmentSet)), ("/api/device/set", .command(.deviceSet)),
            ("/api/sensors/gps/set", .command(.sensorSet("gps"))),
            ("/api/request/ping", .command(.request("ping"))),
        ] as [(String, WebRoute)]
    )
    func `every path of the contract is a route`(path: String, route: WebRoute) {
        #expect(WebRoute(path: path) == route)
    }

    @Test(arguments: [
        "", "x", "//", "/api", "/api/", "/api/state/", "/api/nothing", "/kiosk/a/b/c",
        "/kiosk/../../etc/passwd",
        "/api/things/a/get", "/api/nearby/set/color", "/api/things/a/set/color", "/api/things/%zz",
        "/API/state",
        "/api/things/a/b/c/d/e/f/g",
    ])
    func `other paths are none`(path: String) {
        #expect(WebRoute(path: path) == nil)
    }

    @Test func `paths of accounts are those of the table, with their methods`() {
        #expect(WebRoute(path: "/api/users/b%C3%A4r/password") == .accounts(["users", "bär", "password"]))
        #expect(WebRoute(path: "/api/users/bob")?.methods == [.patch, .delete])
        #expect(WebRoute(path: "/api/log")?.methods == [.get, .head])
        for path in ["users/bob/on", "users/bob/password/x", "sign-in-links", "me/x"] {
            #expect(WebRoute(path: "/api/\(path)") == nil, "\(path)")
        }
    }

    @Test func `commands are posted, objects are also made and changed, and everything else is read`() {
        #expect(WebRoute(path: "/api/nearby/set")?.methods == [.post])
        #expect(WebRoute(path: "/api/map")?.methods == [.get, .head])
        for path in ["environments", "zones", "things"] {
            #expect(WebRoute(path: "/api/\(path)")?.methods == [.get, .head, .post])
            #expect(WebRoute(path: "/api/\(path)/x")?.methods == [.get, .head, .patch, .delete])
        }
    }
}
