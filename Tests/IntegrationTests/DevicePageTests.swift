import Foundation
import JSON
import TestSupport
import Testing

/// Several devices on the kiosk page of a real daemon, in a real browser.
@Suite(
    .enabled(if: Mosquitto.isExpected && Browser.isExpected),
    .mosquitto,
    .serialized,
    .timeLimit(.minutes(5))
)
struct DevicePageTests {
    /// A receiver in each room.
    private static var model: String {
        Place.model.replacing(#""minor": 1,"#, with: #""receiver": "living","#)
            .replacing(#""minor": 2}"#, with: #""receiver": "kitchen"}"#)
    }

    @Test func `the page shows who is where, and another device in the place of the daemon's own`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take(Self.model)
            let (anna, bert) = ("\(home.node)-anna", "\(home.node)-bert")
            let port = try LoopbackSocket.freePort()
            let devices = [(anna, "Anna"), (bert, "Bert")].map { node, name in
                "  - node: \(node)\n    name: \(name)\n    kind: phone\n    user: \(name.lowercased())\n"
                    + "    heard_as: [\"phone:\(node)\"]\n"
            }
            for verb in ["user add anna", "user add bert", "grant add bert zone:kitchen read"] {
                let words = verb.split(separator: " ").map(String.init) + ["--state", home.state]
                let end = try await Program.run(words, in: home.folder)
                try #require(end.status == 0, "\(end.output)")
            }
            try await visitor.whileStarting {
                try await home.start(
                    ["web.listen": "127.0.0.1:\(port)", "device.allow_set": "true"],
                    file: "devices:\n" + devices.joined()
                )
            }
            let output = home.folder.path("devices")
            let walking = Task {
                while !Task.isCancelled {
                    let isGoing = home.folder.read("devices").contains("go\n")
                    for (node, room) in [(anna, isGoing ? "kitchen" : "living"), (bert, "kitchen")] {
                        for receiver in ["living", "kitchen"] {
                            visitor.say(
                                absolute: "espresense/devices/phone:\(node)/\(receiver)",
                                #"{"id":"x","rssi@1m":-59,"rssi":\#(receiver == room ? -50 : -76)}"#
                            )
                        }
                    }
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            defer { walking.cancel() }
            try await visitor.awaits("zones/kitchen") {
                $0["devices"]?.array?.contains { $0["name"] == "Bert" } ?? false
            }
            #expect(await home.logs("http://127.0.0.1:\(port)"))
            // Debian's Python, which has Debian's selenium.
            let script = try ChildProcess(
                "/usr/bin/python3",
                [
                    "-B", Interop.program("devices"), "http://127.0.0.1:\(port)", home.node, anna, bert,
                    try await home.signInLink("anna"), try await home.signInLink("bert"),
                ],
                output: output
            )
            let status = await script.end(within: .seconds(240))
            await script.destroy()
            #expect(status == 0, "\(home.folder.read("devices"))")
        }
    }
}
