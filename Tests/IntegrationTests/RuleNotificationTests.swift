import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// What rules of a running daemon tell people.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct RuleNotificationTests {
    @discardableResult
    private func run(_ words: [String], _ home: Home, status: Int32 = 0) async throws -> Program.End {
        let end = try await Program.run(words + ["--state", home.state], in: home.folder)
        #expect(end.status == status, "\(words): \(end)")
        return end
    }

    @Test func `a lamp that becomes bright is one e-mail, however bright it becomes`() async throws {
        try await withHome { home, visitor in
            try await run(["user", "add", "alice", "--email", "alice@example.org"], home)
            func set(_ brightness: String, _ level: JSONValue) async throws {
                let values = #"{"brightness":"\#(brightness)"}"#
                #expect(try await visitor.ask("things/table-lamp/set", values).outcome == "ok")
                try await visitor.awaits("things/table-lamp/data") { $0["brightness"] == level }
            }
            try await set("10%", 0.1)
            let words = ["--thing", "table-lamp", "--when", "brightness>=0.5", "--notify", "user:alice"]
            let added = try await run(["rule", "add", "--title", "Bright"] + words, home)
            #expect(added.output == "bright\n")
            try await set("10%", 0.1)
            try await set("60%", 0.6)
            try await set("90%", 0.9)
            let mail = try await visitor.awaits("outbox/email")
            #expect(mail["to"] == "alice@example.org" && mail["subject"] == "Bright")
            #expect(mail["kind"] == "rule" && mail["rule"] == "bright" && mail["seq"] == 1)
            #expect(mail["text"] == "Bright: state table-lamp brightness 0.1 -> 0.6", "\(mail)")
            let fired = try await visitor.awaitsEvent("rule", "fired")
            #expect(fired["rule"]?["outcome"] == "done", "\(fired)")
            #expect(await visitor.said(on: "outbox/email").count == 1)
            #expect(await visitor.messages(on: "outbox/email").allSatisfy { !$0.isRetained })
        }
    }

    @Test func `an e-mail that nobody reads fails, with an alert until somebody does`() async throws {
        // A visitor that reads everything would be a reader of the outbox.
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: try SharedMosquitto.broker.port)
            do {
                try await home.take()
                try await home.start()
                try await withReader(of: ["status", "event/rule", "alert/#"], home) { visitor in
                    try await visitor.awaits("status", "online")
                    try await run(["user", "add", "alice", "--email", "alice@example.org"], home)
                    try await run(
                        ["rule", "add", "--title", "Daily", "--cron", "0 0 1 1 *", "--notify", "user:alice"],
                        home
                    )
                    try await run(["rule", "run", "daily"], home, status: 1)
                    let alert = try await visitor.awaits("alert/outbox")
                    #expect(alert["message"]?.string?.contains("\(home.root)/outbox/email") == true)
                    let fired = try await visitor.awaitsEvent("rule", "fired")
                    #expect(fired["rule"]?["outcome"] == "failed", "\(fired)")
                    let result = fired["rule"]?["results"]?.array?.first
                    #expect(result?["ok"] == false && result?["code"] == "server_rejected", "\(fired)")
                    let explained = try await run(["rule", "explain", "daily"], home)
                    #expect(explained.output.contains("failed"), "\(explained)")
                    try await withReader(of: ["outbox/#"], home) { sender in
                        try await run(["rule", "run", "daily"], home)
                        try await sender.awaits("outbox/email") { $0["to"] == "alice@example.org" }
                        try await visitor.awaits("alert/outbox", "")
                    }
                }
                await home.kill()
            } catch {
                let log = await home.log
                await home.kill()
                throw HomeFailure(error: error, log: log)
            }
        }
    }

    /// Runs the body with somebody who reads these topics alone.
    private func withReader(
        of tails: [String],
        _ home: Home,
        _ body: (Visitor) async throws -> Void
    ) async throws {
        let port = try SharedMosquitto.broker.port
        // Its root is none of the daemon's, so that it reads nothing else.
        try await withVisitor(to: "readers/\(home.node)", port: port) { visitor in
            let reader = Visitor(root: home.root, client: visitor.client)
            let heard = visitor.client.subscribe(tails.map { "\(home.root)/\($0)" }, qos: .atLeastOnce)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await message in heard { await reader.hear(message) } }
                defer { group.cancelAll() }
                // What it says comes back when the broker has its subscription.
                let mark = "\(home.root)/\((tails.last ?? "").replacing("#", with: "mark"))"
                let isThere = await eventually {
                    visitor.say(absolute: mark, "mark")
                    return await reader.heard.contains { $0.topic == mark }
                }
                try #require(isThere)
                try await body(reader)
            }
        }
    }

    @Test func `a banner is an event, and the context of the lifecycle meanwhile`() async throws {
        try await withHome { home, visitor in
            visitor.say("display/hall/presence", "visible", isRetained: true)
            try await visitor.awaits("display/hall/visible", "ON")
            let words = [
                "--cron", "0 0 1 1 *", "--notify", "display:hall", "--text", "In ten minutes: {why}",
            ]
            try await run(["rule", "add", "--title", "Closing"] + words, home)
            try await run(["rule", "run", "closing"], home)
            let banner = try await visitor.awaitsEvent("display", "banner")
            #expect(banner["display"] == "hall" && banner["title"] == "Closing" && banner["seconds"] == 10)
            #expect(banner["text"] == "In ten minutes: run" && banner["rule"] == "closing")
            try await visitor.awaits("lifecycle") { $0["context"] == "alert" }
            let fired = try await visitor.awaitsEvent("rule", "fired")
            #expect(fired["rule"]?["outcome"] == "done", "\(fired)")
            try await visitor.awaits("lifecycle") { $0["context"] == "main" }
        }
    }
}

/// Banners on the page, in a real browser.
@Suite(
    .enabled(if: Mosquitto.isExpected && Browser.isExpected),
    .mosquitto,
    .serialized,
    .timeLimit(.minutes(5))
)
struct BannerPageTests {
    @Test func `a display shows banners one after the other, for everybody to read`() async throws {
        let port = try LoopbackSocket.freePort()
        try await withHome(["web.listen": "127.0.0.1:\(port)"]) { home, _ in
            #expect(await home.logs("http://127.0.0.1:\(port)"))
            for (title, recipient) in [("Hall <b>", "display:hall"), ("All", "display:all")] {
                let words = [
                    "rule", "add", "--title", title, "--cron", "0 0 1 1 *", "--notify", recipient, "--text",
                    "<img src=x onerror=alert(1)> {why}", "--state", home.state,
                ]
                let added = try await Program.run(words, in: home.folder)
                #expect(added.status == 0, "\(added)")
            }
            // Debian's Python, which has Debian's selenium.
            let script = try ChildProcess(
                "/usr/bin/python3",
                ["-B", Interop.program("banners"), "http://127.0.0.1:\(port)", Program.path, home.state],
                output: home.folder.path("banners")
            )
            let status = await script.end(within: .seconds(240))
            await script.destroy()
            #expect(status == 0, "\(home.folder.read("banners"))")
        }
    }
}
