import Accounts
import Daemon
import Flare
import Foundation
import JSON
import MQTT
import People
import TestSupport
import Testing

/// Users on a broker that knows them, with the lists that the program prints and keeps.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct PeopleBrokerTests {
    @Test func `users read and write just what they may, until a grant ends and the list is read again`()
        async throws
    {
        try await PeopleSite.open { site in
            try await site.start()
            try await site.visit(as: "bob") { bob in
                try await bob.awaits("things/table-lamp") { $0["slug"] == "table-lamp" }
                try await bob.awaits("things/table-lamp/availability", "online")
                let users = "users/bob"
                bob.say("\(users)/things/table-lamp/set", #"{"color":"red","tx":1}"#)
                try await bob.awaits("\(users)/response/set") { $0["tx"] == 1 && $0["status"] == "ok" }
                try await bob.awaits("things/table-lamp") { $0["color_name"] == "red" }
                bob.say("\(users)/things/table-lamp/get", #"{"tx":9}"#)
                let shown = try await bob.awaits("\(users)/response/get") { $0["tx"] == 9 }
                #expect(shown["data"]?["slug"] == "table-lamp" && shown["data"]?["zone"] == nil, "\(shown)")
                // What may not be read is not there.
                bob.say("\(users)/things/fridge/set", #"{"door":true,"tx":2}"#)
                try await bob.awaits("\(users)/response/set") {
                    $0["tx"] == 2 && $0.outcome == "unknown_thing"
                }
                bob.say("\(users)/device/set", #"{"angle":90,"tx":3}"#)
                try await bob.awaits("\(users)/response/set") { $0["tx"] == 3 && $0.outcome == "not_allowed" }
                let topics = Set(await bob.heard.map { $0.topic.dropFirst(site.home.root.count + 1) })
                // The answer to the ping of the start may come late.
                let legal = [
                    "status", "info", "users/bob/response/ping", "users/bob/response/set",
                    "users/bob/response/get",
                    "things/table-lamp",
                    "things/table-lamp/data",
                    "things/table-lamp/availability", "things/table-lamp/beacon",
                ]
                #expect(topics.allSatisfy { legal.contains(String($0)) }, "\(topics)")
            }
            try await site.visit(as: "ann") { ann in
                try await ann.awaits("things/fridge") { $0["slug"] == "fridge" }
                ann.say("users/ann/things/fridge/set", #"{"door":true,"tx":4}"#)
                let refusal = try await ann.awaits("users/ann/response/set") { $0["tx"] == 4 }
                #expect(refusal.outcome == "not_allowed", "\(refusal)")
                #expect(await ann.text("device") == nil)
            }
            for (user, topic, isTaken) in [
                ("bob", "users/bob/nearby/set", true), ("bob", "users/ann/nearby/set", false),
                ("bob", "things/table-lamp/set", false), ("bob", "users/bob/response/set", false),
                ("bob", "things/table-lamp", false), ("ann", "users/ann/request/ping", true),
                ("ann", "request/ping", false), ("ann", "users/bob/request/ping", false),
                ("driver", "users/bob/nearby/set", false), ("sender", "request/ping", false),
                ("sender", "outbox/email", false), ("trilateral", "outbox/email", true),
            ] {
                #expect(try await site.takes(topic, "{}", from: user) == isTaken, "\(topic) from \(user)")
            }
            // The grant ends while the daemon runs or before: its list does not say which.
            await site.home.stop()
            try site.replaceGrant(endsIn: 3000)
            try await site.start(awaiting: "user bob\n") { !$0.contains("things/table-lamp\n") }
            try await site.visit(as: "bob") { bob in
                bob.say("users/bob/things/table-lamp/set", #"{"color":"blue","tx":5}"#)
                try await bob.awaits("users/bob/response/set") {
                    $0["tx"] == 5 && $0.outcome == "unknown_thing"
                }
                #expect(await bob.text("things/table-lamp") == nil)
            }
        }
    }

    @Test func `tokens speak for their users, and nothing that is published tells of either`() async throws {
        try await PeopleSite.open { site in
            let (token, other) = (try site.token(of: "owner"), try site.token(of: "ann"))
            try await site.start()
            try await site.visit(as: "trilateral") { all in
                try await site.visit(as: "driver") { driver in
                    for (members, outcome) in [
                        (#""token":"\#(token)""#, "ok"), (#""token":"\#(token)","as":"owner""#, "ok"),
                        (#""token":"\#(token)","as":"bob""#, "unauthenticated"),
                        (#""token":"\#(other)""#, "ok"), (#""as":"owner""#, "unauthenticated"),
                        (#""token":"tlu_wrong""#, "unauthenticated"), (#""token":7"#, "wrong_type"),
                        // The form comes first; and nobody speaks without a token here.
                        (#""x":1"#, "unknown_key"), (#""tx":1"#, "unauthenticated"),
                    ] {
                        let answer = try await driver.ask("things/table-lamp/get", "{\(members)}")
                        #expect(answer.outcome == outcome, "\(members): \(answer)")
                    }
                    let order = #"{"state":"OFF","token":"\#(other)"}"#
                    #expect(try await driver.ask("things/table-lamp/set", order).outcome == "not_allowed")
                    #expect(
                        try await driver.ask("nearby/set", #"{"state":"ON"}"#).outcome == "unauthenticated"
                    )
                }
                try await all.awaits("health")
                for message in await all.told {
                    let text = message.text
                    #expect(!text.contains("tlu_") && !text.contains("\"ann\""), "\(message.topic): \(text)")
                }
            }
            #expect(await !site.home.log.contains("tlu_"))
        }
    }

    @Test func `the command line brings a token`() async throws {
        try await PeopleSite.open { site in
            try site.folder.write(try site.token(of: "bob") + "\n", to: "token")
            #expect(chmod(site.folder.path("token"), 0o600) == 0)
            try site.folder.write("tlu_nobody", to: "wrong")
            try await site.start()
            for (arguments, status, text) in [
                (["set", "table-lamp", "ON", "--token-file", "token"], 0, "state ON"),
                (["set", "table-lamp", "ON", "--as", "bob", "--token-file", "token"], 0, "state ON"),
                (["get", "table-lamp", "--token-file", "token"], 0, "table-lamp"),
                (["get", "nearby", "--token-file", "token"], 0, "none"),
                (["set", "fridge", "door=true", "--token-file", "token", "--json"], 1, "unknown_thing"),
                (
                    ["action", "table-lamp", "noSuchAction", "--token-file", "token", "--json"], 1,
                    "unknown_action"
                ),
                (
                    ["set", "table-lamp", "ON", "--as", "ann", "--token-file", "token", "--json"], 1,
                    "unauthenticated"
                ),
                (["set", "table-lamp", "ON", "--token-file", "wrong", "--json"], 1, "unauthenticated"),
                (["set", "table-lamp", "ON", "--token-file", "wrong"], 1, "chmod 600"),
                (["set", "table-lamp", "ON", "--json"], 1, "unauthenticated"),
                (["set", "table-lamp", "ON", "--token-file", "missing"], 66, "missing cannot be read"),
                (["set", "table-lamp", "ON", "--as", "bob"], 64, "--token-file"),
                (["get", "table-lamp", "--as", "B/#", "--token-file", "token"], 64, "--as"),
            ] as [([String], Int32, String)] {
                let end = try await site.run(arguments, as: "driver")
                #expect(end.status == status && end.output.contains(text), "\(arguments): \(end)")
                #expect(!end.output.contains("tlu_"), "\(end.output)")
            }
        }
    }

    @Test func `acl prints what the daemon keeps, and needs users`() async throws {
        try await PeopleSite.open { site in
            try await site.start()
            let kept = site.folder.read("people.acl")
            await site.home.stop()
            let end = try await site.run(["acl", "--people", "--state", site.home.state], as: "trilateral")
            #expect(end.status == 0 && end.output == kept, "\(end.output)\n\(kept)")
            for (arguments, status, text) in [
                (["acl", "--people", "--state", site.folder.path("empty")], 66, "no state folder"),
                (["acl", "--people", "--role", "kiosk"], 64, "--role"),
                (["acl", "--state", site.home.state], 64, "--people"),
            ] as [([String], Int32, String)] {
                let end = try await site.run(arguments, as: "trilateral")
                #expect(end.status == status && end.output.contains(text), "\(arguments): \(end)")
            }
        }
    }

    @Test func `topics of users need a broker with users`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("people: {user_topics: true}", to: "trilateral.yaml")
            for verb in ["check", "run"] {
                let end = try await Program.run(
                    [verb, "--config", folder.path("trilateral.yaml")],
                    in: folder
                )
                #expect(end.status == 78 && end.output.contains("people.user_topics"), "\(end)")
                #expect(end.output.contains("needs mqtt.username as well"), "\(end)")
            }
        }
    }
}
