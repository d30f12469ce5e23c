import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// Screens of displays, and things that wait to be set up, on a real broker.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct ScreenTests {
    private static let application = """
        {"version": 1, "name": "Screens", "applicationIdentifier": "org.example.screens",
         "devices": [
           {"oemModel": "plug-1", "class": "AylaDevice", "ssidRegex": "^Plug-[0-9A-F]{6}$"},
           {"oemModel": "fan-1", "class": "AylaDevice", "ssidRegex": "fan"}],
         "userExperience": {
           "signInScreen": "welcome", "homeScreen": "home",
           "screens": [
             {"name": "welcome", "class": "SignIn"}, {"name": "home", "class": "DeviceList"},
             {"name": "details", "class": "DeviceDetails"}, {"name": "plan", "class": "Map"}]}}
        """
    private static let file = "profiles: {files: [screens.json]}\n"

    private func withScreens(_ body: (Home, Visitor) async throws -> Void) async throws {
        try await withEmptyHome { home, visitor in
            try home.folder.write(Self.application, to: "screens.json")
            try await home.take()
            try await visitor.whileStarting { try await home.start(file: Self.file) }
            try await body(home, visitor)
        }
    }

    @Test func `calls move the screens of a display, and each is retained until the display is gone`()
        async throws
    {
        try await withScreens { home, visitor in
            visitor.say("display/hall/presence", "visible", isRetained: true)
            try await visitor.awaits("display/hall/screen") { $0["screen"] == "home" && $0["thing"] == .null }
            let pushed = try await visitor.ask(
                "display/hall/screen/set",
                #"{"call":"pushScreen","screen":"details","thing":"table-lamp","tx":"9"}"#
            )
            #expect(pushed["status"] == "ok" && pushed["tx"] == "9", "\(pushed)")
            #expect(pushed["target"] == ["kind": "display", "slug": "hall"])
            try await visitor.awaits("display/hall/screen") {
                $0["thing"] == "table-lamp" && $0["stack"]?.array?.count == 2
            }
            #expect(try await visitor.ask("display/all/screen/set", "plan").outcome == "ok")
            try await visitor.awaits("display/hall/screen") { $0["screen"] == "plan" }
            #expect(try await visitor.ask("display/hall/screen/set", "sessionClosed").outcome == "ok")
            let told = try await visitor.awaitsEvent("display", "sessionClosed")
            #expect(told["display"] == "hall" && told["screen"] == "welcome")
            for (topic, payload, code) in [
                ("display/hall/screen/set", "nowhere", "unknown_screen"),
                ("display/attic/screen/set", "back", "unknown_display"),
                ("display/hall/screen/set", #"{"call":"plan","thing":"nothing"}"#, "unknown_thing"),
                ("display/hall/screen/set", #"{"call":7}"#, "wrong_type"),
            ] {
                #expect(try await visitor.ask(topic, payload).outcome == code, "\(payload)")
            }
            #expect(await visitor.json("display/hall/screen")?["screen"] == "welcome")
            visitor.say("display/hall/presence", "gone", isRetained: true)
            try await visitor.awaits("display/hall/screen", "")
            // What a daemon that was killed has left is cleared by the next one.
            visitor.say("display/hall/presence", "visible", isRetained: true)
            try await visitor.awaits("display/hall/screen") { $0["screen"] == "home" }
            visitor.say("display/hall/presence", "", isRetained: true)
            await home.kill()
            visitor.say("display/hall/screen", #"{"screen":"old"}"#, isRetained: true)
            try await visitor.whileStarting { try await home.start(file: Self.file) }
            try await visitor.awaits("display/hall/screen", "")
        }
    }

    @Test func `access points of things that wait to be set up are candidates`() async throws {
        try await withScreens { _, visitor in
            visitor.say("setup/ssids", #"[{"ssid":"Plug-00AAFF","rssi":-61},"Our network","plug-00aaff",""]"#)
            let candidates = try await visitor.awaits("setup/candidates") { $0.array?.count == 1 }
            let first = try #require(candidates.array?.first)
            #expect(first["ssid"] == "Plug-00AAFF" && first["profile"] == "plug-1" && first["rssi"] == -61)
            #expect(first["ts"]?.string?.hasSuffix("Z") == true)
            visitor.say("setup/ssids", #""my fan 5""#)
            try await visitor.awaits("setup/candidates") { $0.array?.count == 2 }
            let many = "[" + (0..<10_000).map { "\"Plug-\($0)\"" }.joined(separator: ",") + "]"
            for bad in [many, "Plug-00AAFE", "[[", #"[{"name":"x"}]"#] { visitor.say("setup/ssids", bad) }
            visitor.say("setup/ssids", #"["Plug-00AAF0"]"#)
            try await visitor.awaits("setup/candidates") { $0.array?.count == 3 }
            try await visitor.ask("request/ping")
        }
    }

    @Test func `without screens and expressions nothing of them is there`() async throws {
        try await withHome { _, visitor in
            visitor.say("display/hall/presence", "visible")
            try await visitor.awaits("lifecycle") { $0["displays"] == 1 }
            #expect(try await visitor.ask("display/hall/screen/set", "back").outcome == "unknown_screen")
            #expect(await visitor.text("display/hall/screen") == nil)
            let features = try await visitor.awaits("info")["features"]?.array ?? []
            #expect(!features.contains("setup"))
        }
    }
}
