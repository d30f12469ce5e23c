import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// What a reload of the configuration restarts, and what it leaves alone.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(5)))
struct ReloadTests {
    /// What users commanded, which a reload must not undo.
    private static let commands = [
        ("lifecycle/level/set", "FULL", "level"), ("lifecycle/audio/set", "attenuated", "audio"),
        ("lifecycle/context/set", "menu", "context"), ("lifecycle/language/set", "de-DE", "language"),
    ]

    private static let languages = """
        lifecycle:
          languages:
            - {tag: en-US, app_name: Place, short_app_name: Place, spoken_name: Place}
            - {tag: de-DE, app_name: Ort, short_app_name: Ort, spoken_name: Ort}

        """

    private func command(_ visitor: Visitor) async throws {
        for (topic, word, key) in Self.commands {
            #expect(try await visitor.ask(topic, word).outcome == "ok", "\(topic)")
            try await visitor.awaits("lifecycle") { "\($0[key] ?? .null)".contains(word) }
        }
    }

    private func expectCommanded(_ visitor: Visitor) async throws {
        for (_, word, key) in Self.commands {
            try await visitor.awaits("lifecycle") { "\($0[key] ?? .null)".contains(word) }
        }
    }

    private func webPort(_ home: Home) async throws -> Int {
        let start = "web: http://127.0.0.1:"
        try #require(await home.logs(start))
        return try #require(
            await home.log.components(separatedBy: start).last.flatMap { Int($0.prefix { $0.isNumber }) }
        )
    }

    /// A page that follows the changes.
    private func stream(_ port: Int) async throws -> Unshared<WireClient> {
        try await onThread {
            let client = try WireClient(port: port)
            client.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.reply(toHead: true)?.status == 200)
            return Unshared(client)
        }
    }

    private func expect(_ word: String, on stream: Unshared<WireClient>) async throws {
        try await onThread {
            var text = ""
            while !text.contains(word) {
                let byte = try #require(try stream.value.bytes(1), "the stream has ended")
                text += String(decoding: byte, as: UTF8.self)
            }
        }
    }

    /// A client of the Flare server, as a program of the old revision that pings.
    private func guest(_ home: Home) async throws -> Unshared<WireClient> {
        let port = try #require(await home.serverPort())
        return try await onThread {
            let client = try WireClient(port: port)
            let head = [
                "GET /socket.io/?EIO=3&transport=websocket HTTP/1.1", "Host: localhost", "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
            client.send(head.joined(separator: "\r\n") + "\r\n\r\n")
            #expect(try client.reply(toHead: true)?.status == 101)
            return Unshared(client)
        }
    }

    /// Whether the server still answers over the same connection.
    private func expectPresent(_ guest: Unshared<WireClient>) async throws {
        try await onThread {
            guest.value.send([0x81, 0x81, 0, 0, 0, 0, UInt8(ascii: "2")])
            var heard: [UInt8] = []
            while heard.suffix(3) != [0x81, 1, UInt8(ascii: "3")] {
                heard += try #require(try guest.value.bytes(1), "the connection has ended")
            }
        }
    }

    private func reload(_ home: Home, _ visitor: Visitor, _ file: String) async throws {
        try home.folder.write(file, to: "trilateral.yaml")
        let before = await visitor.objects(on: "event/bridge").filter { $0["event_type"] == "reloaded" }.count
        #expect(try await visitor.ask("request/reload", "{}").outcome == "ok")
        try await visitor.awaitsEvent("bridge", "reloaded", after: before)
    }

    @Test(
        arguments: [
            ("", "nothing"), ("map: {style: dark, interval_seconds: 9}\n", "the map's style"),
            ("map: {enabled: true}\n", "the map"), ("device: {allow_set: true}\n", "a rule"),
            ("log: {level: debug}\n", "the log"), ("frames: {enabled: true}\n", "the frames"),
            ("sensors: {espresense: {device: \"phone:anna\"}}\n", "the sensors"),
            ("positioning: {estimator: centroid}\n", "the estimator"),
            ("control: {read_only: [fridge]}\n", "a policy"),
            ("discovery: {prefix: ha}\n", "the prefix"),
            ("discovery: {things: none}\n", "the announced things"),
            ("links: [{thing: fridge, kind: wled, topic: wled/fridge}]\n", "a lamp"),
            ("people: {session_hours: 7, log_days: 3}\n", "the accounts"),
            ("web: {public_url: \"https://panel.example\"}\n", "the page's address"),
            ("device: {publish_location: true}\n", "the location"),
            ("sensors: {beacons: {enabled: false}, cmx: {enabled: false}}\n", "the switches"),
            ("profiles: {things: [{thing: fridge, profile: light}]}\n", "the profiles"),
            ("flare: {server: {steady: true}}\n", "the rule of nearness"),
            ("mqtt: {rates: {position_per_second: 2}, health_interval_seconds: 33}\n", "the rates"),
        ]
    )
    func `a reload leaves the broker, streams, ports and commanded states alone`(
        change: String,
        name: String
    ) async throws {
        try await withHome(file: Self.languages) { home, visitor in
            try await command(visitor)
            let epoch = try await visitor.awaits("info")["epoch"]
            let port = try await webPort(home)
            // The map's colours and the public address are the page's, too.
            let isPage = change.contains("style") || change.contains("public_url")
            let stream = isPage ? nil : try await stream(port)
            let guest = try await guest(home)
            let statuses = await visitor.said(on: "status")
            try await reload(home, visitor, Self.languages + change)
            #expect(await visitor.said(on: "status") == statuses)
            try await expectPresent(guest)
            #expect(try await visitor.awaits("info")["epoch"] == epoch)
            try await expectCommanded(visitor)
            #expect(await eventually { (try? await webPort(home)) == port })
            #expect(try await visitor.ask("things/table-lamp/set/color", "green").outcome == "ok")
            if let stream { try await expect("\"color_name\":\"green\"", on: stream) }
            if change.isEmpty { #expect(await home.log.contains("nothing has changed")) }
        }
    }

    @Test func `another connection to the broker leaves streams, clients and commanded states alone`()
        async throws
    {
        try await withHome(file: Self.languages) { home, visitor in
            try await command(visitor)
            let epoch = try await visitor.awaits("info")["epoch"]
            let (stream, guest) = try await (stream(webPort(home)), guest(home))
            let before = await visitor.said(on: "status").count
            try await reload(home, visitor, Self.languages + "mqtt: {keepalive_seconds: 77}\n")
            let statuses = await visitor.said(on: "status").dropFirst(before)
            #expect(Array(statuses) == ["offline", "online"])
            #expect(try await visitor.awaits("info")["epoch"] == epoch)
            try await expectCommanded(visitor)
            try await expectPresent(guest)
            #expect(try await visitor.ask("things/table-lamp/set/color", "green").outcome == "ok")
            try await expect("\"color_name\":\"green\"", on: stream)
        }
    }

    @Test func `who was let in without a token is sent away when the configuration asks for one`()
        async throws
    {
        try await withHome(file: "log: {level: info}\n") { home, visitor in
            let guest = try await guest(home)
            try await expectPresent(guest)
            try await reload(home, visitor, "flare: {server: {access: token}}\n")
            // Nothing more is read at the end of the connection.
            try await onThread { while try guest.value.bytes(1) != nil {} }
        }
    }

    @Test func `on another broker everything is there, and nothing is left behind on the old one`()
        async throws
    {
        try await withMosquitto { other in
            try await withHome(["mqtt.port": ""], file: "mqtt: {port: \(SharedMosquitto.broker.port)}\n") {
                home,
                visitor in
                let stream = try await stream(webPort(home))
                let all = Set(try await retainedMessages(port: SharedMosquitto.broker.port).keys)
                let own = all.filter { $0.hasPrefix("\(home.root)/") }
                let announced = all.filter { $0.contains("trilateral_\(home.node)") }
                #expect(own.count > 10 && announced.count > 2)
                try home.folder.write("mqtt: {port: \(other.port)}\n", to: "trilateral.yaml")
                await home.signal(SIGHUP)
                try await withVisitor(to: home.root, port: other.port) { guest in
                    try await guest.awaits("status", "online")
                    try await guest.awaits("state") { $0["device"]?["id"]?.string != nil }
                    #expect(try await guest.ask("things/table-lamp/set/color", "green").outcome == "ok")
                }
                try await expect("\"color_name\":\"green\"", on: stream)
                #expect(
                    try await eventually {
                        let kept = Set(try await retainedMessages(port: other.port).keys)
                        return kept.isSuperset(of: own.union(announced))
                    }
                )
                let left = try await retainedMessages(port: SharedMosquitto.broker.port)
                #expect(left.filter { $0.key.contains(home.node) } == [:])
            }
        }
    }

    @Test func `under another prefix Home Assistant is told anew, and nothing stays under the old one`()
        async throws
    {
        try await withHome(file: "log: {level: info}\n") { home, visitor in
            func announced(_ prefix: String) async throws -> Set<String> {
                let start = "\(prefix)/device/trilateral_\(home.node)"
                let topics = try await retainedMessages(port: SharedMosquitto.broker.port).keys
                return Set(topics.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(prefix.count)) })
            }
            let lamp = "/device/trilateral_\(home.node)_table-lamp/config"
            #expect(try await eventually { try await announced("homeassistant").contains(lamp) })
            let all = try await announced("homeassistant")
            let prefix = "ha\(home.node)"
            try await reload(home, visitor, "discovery: {prefix: \(prefix)}\n")
            #expect(try await eventually { try await announced(prefix) == all })
            #expect(try await eventually { try await announced("homeassistant").isEmpty })
            try await reload(home, visitor, "discovery: {prefix: \(prefix), things: none}\n")
            #expect(try await eventually { try await !announced(prefix).contains(lamp) })
            try await reload(home, visitor, "discovery: {prefix: \(prefix), enabled: false}\n")
            #expect(try await eventually { try await announced(prefix).isEmpty })
            await home.stop()
        }
    }

    @Test func `who may do what, what sensors do and what is published follow the configuration`()
        async throws
    {
        try await withHome(file: "people: {mqtt_user: none}\n") { home, visitor in
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome != "ok")
            try home.folder.write(
                "sensors: {gps: {enabled: false}}\ndevice: {publish_location: true}\n",
                to: "trilateral.yaml"
            )
            await home.signal(SIGHUP)
            try await visitor.awaitsEvent("bridge", "reloaded")
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
            try await visitor.awaits("sensors/gps", "OFF")
            // A command counts more.
            #expect(try await visitor.ask("sensors/compass/set", "OFF").outcome == "ok")
            try await reload(home, visitor, "sensors: {compass: {enabled: true}}\n")
            try await visitor.awaits("sensors/gps", "ON")
            try await visitor.awaits("sensors/compass", "OFF")
        }
    }

    @Test func `what cannot be built is refused, and what runs goes on`() async throws {
        try await withHome(["web.listen": ""], file: "web: {listen: \"127.0.0.1:0\"}\n") { home, visitor in
            let stream = try await stream(webPort(home))
            try home.folder.write("two\nlines\n", to: "password")
            let file = "web: {listen: \"127.0.0.1:0\", password_file: password}\nmap: {enabled: true}\n"
            try home.folder.write(file, to: "trilateral.yaml")
            let answer = try await visitor.ask("request/reload", "{}")
            #expect(answer.outcome == "invalid_value")
            #expect(answer["error"]?["message"]?.string?.contains("web.password_file") == true)
            try await visitor.awaits("alert/configuration")
            #expect(await visitor.text("map") == nil)
            #expect(try await visitor.ask("things/table-lamp/set/color", "green").outcome == "ok")
            try await expect("\"color_name\":\"green\"", on: stream)
            try await reload(home, visitor, "web: {listen: \"127.0.0.1:0\"}\n")
            try await visitor.awaits("alert/configuration", "")
        }
    }

    @Test func `a part that is switched on and off by a reload comes and goes`() async throws {
        try await withHome(file: "map: {enabled: true}\n") { home, visitor in
            #expect(await eventually { await visitor.text("map")?.contains("<svg") == true })
            try await reload(home, visitor, "frames: {enabled: true}\n")
            try await visitor.awaits("map", "")
            try await visitor.awaits("info") { $0["features"]?.array?.contains("frames") == true }
            try await reload(home, visitor, "map: {enabled: true}\n")
            #expect(await eventually { await visitor.text("map")?.contains("<svg") == true })
            try await visitor.awaits("info") { $0["features"]?.array?.contains("frames") == false }
            try await reload(home, visitor, "control: {read_only: [table-lamp]}\n")
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "not_allowed")
            try await reload(home, visitor, "device: {allow_set: true}\n")
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
            #expect(try await visitor.ask("device/set", #"{"angle":90}"#).outcome == "ok")
        }
    }

    @Test func `another page is served on the same port, and another password of it counts`() async throws {
        try await withHome(["web.listen": ""], file: "web: {listen: \"127.0.0.1:0\"}\n") { home, visitor in
            let port = try await webPort(home)
            let statuses = await visitor.said(on: "status")
            try home.folder.write("secret\n", to: "password")
            let file = "web: {listen: \"127.0.0.1:0\", password_file: password}\n"
            try await reload(home, visitor, file)
            // Requests wait until the password is stored.
            #expect(
                await eventually { (try? await request("GET", "/api/state", port: port))?.status == 401 }
            )
            // The same configuration, and another file.
            try home.folder.write("other\n", to: "password")
            try await reload(home, visitor, file)
            #expect(
                await eventually { await home.log.components(separatedBy: "restarted: kiosk").count == 3 }
            )
            #expect(await visitor.said(on: "status") == statuses)
        }
    }

    @Test func `another daemon keeps the ports and what was commanded`() async throws {
        try await withHome(file: Self.languages) { home, visitor in
            try await command(visitor)
            let ports = try await (webPort(home), home.serverPort())
            let epoch = try await visitor.awaits("info")["epoch"]
            try await reload(home, visitor, Self.languages + "flare: {server: {strict: true}}\n")
            try await visitor.awaits("info") { $0["epoch"] != epoch }
            try await visitor.awaits("state") { $0["device"]?["id"]?.string != nil }
            try await expectCommanded(visitor)
            #expect(await eventually { await home.log.components(separatedBy: "web: http").count == 3 })
            #expect(try await webPort(home) == ports.0)
            #expect(await home.serverPort() == ports.1)
        }
    }

    @Test(
        arguments: [
            // Another daemon, another connection, and parts.
            ["flare: {server: {strict: true}}", "flare: {server: {strict: false}}"],
            ["mqtt: {keepalive_seconds: 60}", "mqtt: {keepalive_seconds: 61}"],
            [
                "discovery: {things: none}", "people: {session_hours: 7}",
                "links: [{thing: fridge, kind: wled, topic: wled/fridge}]",
                "profiles: {things: [{thing: fridge, profile: light}]}", "device: {publish_location: true}",
                "sensors: {gps: {enabled: false}}",
            ],
        ]
    )
    func `every command is answered during reloads, or its sender has read offline before`(
        files: [String]
    ) async throws {
        // More, for a search: TRILATERAL_RELOADS=40.
        let rounds =
            ProcessInfo.processInfo.environment["TRILATERAL_RELOADS"].flatMap { Int($0) } ?? 6
        let isOneDaemon = !(files.first?.hasPrefix("flare") ?? true)
        try await withHome(file: (files.first ?? "") + "\n") { home, visitor in
            #expect(try await visitor.ask("lifecycle/level/set", "LIMITED").outcome == "ok")
            let stream = isOneDaemon ? try await stream(webPort(home)) : nil
            var tx = 0
            for round in 1...rounds {
                try home.folder.write(files[round % files.count] + "\n", to: "trilateral.yaml")
                await home.signal(SIGHUP)
                // Until the next daemon has been there for a while.
                var rest = 20
                while rest > 0 {
                    tx += 1
                    visitor.say("request/ping", "{\"tx\":\(tx)}")
                    visitor.say("things/table-lamp/set", "{\"color\":\"red\",\"tx\":\(-tx)}")
                    let reloads = await visitor.objects(on: "event/bridge").filter {
                        $0["event_type"] == "reloaded"
                    }
                    if reloads.count >= round { rest -= 1 }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            visitor.say("request/ping", "{\"tx\":\"last\"}")
            try await visitor.awaits("response/ping") { $0["tx"] == "last" }
            let lost = await eventually { await unanswered(visitor).isEmpty } ? [] : await unanswered(visitor)
            #expect(lost.isEmpty, "of \(2 * tx) commands in \(rounds) reloads: \(lost)")
            try await visitor.awaits("lifecycle") { $0["level"]?.string?.contains("LIMITED") ?? false }
            #expect(try await visitor.ask("things/table-lamp/set/color", "green").outcome == "ok")
            if let stream { try await expect("\"color_name\":\"green\"", on: stream) }
        }
    }

    /// Commands without an answer that the broker took while `status` was online.
    private func unanswered(_ visitor: Visitor) async -> [JSONValue] {
        let heard = await visitor.heard
        let answers = heard.filter { $0.topic.contains("/response/") }
            .compactMap { (try? JSONValue(parsing: $0.payload))?["tx"] }
        let answered = Set(answers.map { "\($0)" })
        var isOnline = true
        var lost: [JSONValue] = []
        for message in heard {
            if message.topic.hasSuffix("/status") { isOnline = message.text == "online" }
            guard isOnline, message.topic.hasSuffix("/set") || message.topic.hasSuffix("/ping"),
                !message.topic.contains("/response/"),
                let tx = (try? JSONValue(parsing: message.payload))?["tx"]
            else { continue }
            if !answered.contains("\(tx)") { lost.append(tx) }
        }
        return lost
    }
}

/// A value that is used by one thread after another.
// @unchecked: each use is awaited before the next.
private struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
