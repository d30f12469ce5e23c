import Foundation
import JSON
import MQTT
import Settings
import TestSupport
import Testing

/// Things at the edge of a running daemon, on a real broker with its access list.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct EdgeDaemonTests {
    /// Runs the body with a thing that has an owner and has told its state, and with somebody who drives.
    private func withOwnedThing(
        _ body: (EdgeSite, _ thing: Visitor, _ driver: Visitor, _ id: String) async throws -> Void
    ) async throws {
        try await EdgeSite.open { site in
            let password = try await site.expect("v-1")
            try await site.withThing("v-1", password) { thing in
                let answer = try await site.onboard(thing, password, ["type": "lamp"])
                #expect(answer["status"] == "ok" && answer["owned"] == false)
                #expect(answer["accessToken"]?.string?.hasPrefix("tlt_") == true)
                let id = try #require(answer["thingID"]?.string)
                try await site.own("v-1", password)
                try await site.visit(as: "driver") { driver in
                    thing.say("state", #"{"on":true,"brightness":0.5,"temperature":21.5}"#)
                    try await driver.awaits("things/v-1/data") { $0["temperature"] == 21.5 }
                    try await driver.awaits("things/v-1/availability", "online")
                    try await body(site, thing, driver, id)
                }
            }
        }
    }

    @Test func `a set over MQTT reaches the thing, and is answered when the thing has answered`() async throws
    {
        try await withOwnedThing { _, thing, driver, _ in
            async let answer = driver.ask("things/v-1/set", #"{"state":"OFF"}"#)
            let command = try await thing.awaits("command")
            #expect(command["actions"] == [["on": false]])
            #expect(command["issuer"]?.string?.hasPrefix("user:") == true && command["schema"] == nil)
            #expect(await driver.answerCounts.isEmpty)
            thing.answer(command)
            let outcome = try await answer.outcome
            #expect(outcome == "ok")
            try await driver.awaits("things/v-1") { $0["state"] == "OFF" }
            await thing.forget()
            async let refused = driver.ask("things/v-1/set", #"{"brightness":255}"#)
            thing.answer(
                try await thing.awaits("command"),
                failing: ["brightness": "out_of_range: the bulb is old"]
            )
            let refusal = try await refused.outcome
            #expect(refusal != "ok")
            #expect(try await driver.ask("things/v-1/set", #"{"temperature":20}"#).outcome == "not_settable")
        }
    }

    @Test func `a command over HTTP is one message to the thing, and has a result for each action`()
        async throws
    {
        try await withOwnedThing { site, thing, _, id in
            let owner = try await site.ofOwner()
            let commands = "targets/thing:\(id)/commands"
            let body: JSONValue = [
                "actions": [["brightness": 0.25], ["on": false]], "issuer": "user:owner", "schema": "lamp",
                "schemaVersion": 1,
            ]
            let given = try await site.ask("POST", commands, body, authorization: owner)
            let name = try #require(given.body["commandID"]?.string, "\(given)")
            let command = try await thing.awaits("command")
            #expect(command["commandID"]?.string == name && command["schema"] == "lamp")
            #expect(command["actions"] == [["brightness": 0.25], ["on": false]])
            func stored() async throws -> JSONValue {
                try await site.ask("GET", "\(commands)/\(name)", authorization: owner).body
            }
            let isDelivered = try await eventually { try await stored()["commandState"] == "DELIVERED" }
            #expect(isDelivered)
            thing.answer(command, failing: ["brightness": "out_of_range: the bulb is old"])
            let isIncomplete = try await eventually { try await stored()["commandState"] == "INCOMPLETE" }
            #expect(isIncomplete)
            let results = try await stored()["actionResults"]
            #expect(
                results == [
                    ["brightness": ["succeeded": false, "errorMessage": "out_of_range: the bulb is old"]],
                    ["on": ["succeeded": true]],
                ]
            )
            let count = await thing.said(on: "command").count
            #expect(count == 1)
        }
    }

    @Test func `its last will makes a thing offline, and nothing is sent to it`() async throws {
        try await withOwnedThing { site, thing, driver, _ in
            let password = try await site.expect("v-2")
            try await site.withThing("v-2", password) { second in
                let onboarded = try await site.onboard(second, password)
                #expect(onboarded["status"] == "ok")
                try await site.own("v-2", password)
                second.say("state", #"{"on":true}"#)
                try await driver.awaits("things/v-2/data") { $0["on"] == true }
                try await driver.awaits("things/v-2/availability", "online")
                let link = try LinkWithWill(site.broker.port, site.home.root, "v-2", password)
                link.breakOff()
                try await driver.awaits("things/v-2/availability", "offline")
                let answer = try await driver.ask("things/v-2/set", #"{"state":"OFF"}"#)
                #expect(answer.outcome == "thing_offline")
                let count = await second.said(on: "command").count
                #expect(count == 0)
                // It is about this thing alone.
                #expect(await driver.text("things/v-1/availability") == "online")
                thing.say("status", "offline", isRetained: true)
                try await driver.awaits("things/v-1/availability", "offline")
            }
        }
    }

    @Test func `nobody else speaks for a thing, and it reads only what it is told`() async throws {
        try await withOwnedThing { (site, thing, driver, _) async throws in
            for part in ["onboard", "state", "result", "command", "onboarded", "error"] {
                #expect(try await !driver.isTaken("edge/v-1/\(part)", "{}"), "\(part)")
            }
            #expect(try await !driver.isTaken("edge/v-1/status", "offline"))
            for part in ["command", "onboarded", "error", "nodes", "node/w/state"] {
                #expect(try await !thing.isTaken(part, "{}"), "\(part)")
            }
            let heard = await Set(thing.heard.map { String($0.topic.dropFirst(thing.root.count + 1)) })
            #expect(heard.isSubset(of: ["onboarded", "command", "error"]))
            #expect(await driver.messages(on: "edge/v-1/onboarded").isEmpty)
            #expect(await driver.text("alert/edge-open") == nil)
            let log = site.broker.log.split(separator: "\n").filter {
                $0.contains("Denied") && $0.contains("trilateral-\(site.home.node)")
            }
            #expect(log.isEmpty, "\(log)")
        }
    }

    @Test func `Home Assistant may set what a thing can be set to, and shows the rest`() async throws {
        try await withOwnedThing { site, _, _, _ in
            try await site.visit(below: "homeassistant", as: "homeassistant", "secret of homeassistant") {
                ha in
                let topic = "device/trilateral_\(site.home.node)_v-1/config"
                let device = try await ha.awaits(topic) { device in
                    device["components"]?.object?.values.contains { $0["platform"] == "sensor" } == true
                }
                let components = Array((device["components"]?.object ?? [:]).values)
                func platforms(_ wanted: (JSONValue) -> Bool) -> [String?] {
                    components.filter(wanted).map { $0["platform"]?.string }
                }
                #expect(platforms { $0["device_class"] == "temperature" } == ["sensor"])
                #expect(platforms { $0["platform"] == "light" } == ["light"])
                #expect(platforms { $0["platform"] == "number" }.isEmpty)
                let availability = device["availability"]?.array?.map { $0["topic"]?.string }
                #expect(availability?.contains("\(site.home.root)/things/v-1/availability") == true)
            }
        }
    }

    @Test func `a gateway speaks for its own end nodes alone`() async throws {
        try await EdgeSite.open { site in
            let password = try await site.expect("g")
            try await site.withThing("g", password) { gateway in
                let answer = try await site.onboard(gateway, password, ["layout": "GATEWAY"])
                let id = try #require(answer["thingID"]?.string, "\(answer)")
                try await site.own("g", password)
                try await site.readList(allowing: "edge/g/node/+/status")
                let nodes = #"[{"vendorThingID":"w"},{"vendorThingID":"x"}]"#
                let areTaken = try await eventually { try await gateway.isTaken("nodes", nodes) }
                #expect(areTaken)
                let isPending = try await eventually {
                    let list = try await site.run(["thing", "list", "--pending"])
                    return list.contains("\nw ") && list.contains("\nx ")
                }
                #expect(isPending)
                let form = "application/vnd.kii.OnboardingEndNodeWithGatewayThingID+json"
                let body: JSONValue = [
                    "gatewayThingID": .string(id), "endNodeVendorThingID": "w",
                    "endNodePassword": "secret of w", "owner": "user:owner",
                    "endNodeThingProperties": ["zone": "kitchen"],
                ]
                let owner = try await site.ofOwner()
                let node = try await site.ask("POST", "onboardings", body, type: form, authorization: owner)
                #expect(node.body["endNodeThingID"]?.string != nil, "\(node)")
                #expect(node.body["mqttEndpoint"]?["userName"] == "g")
                try await site.visit(as: "driver") { driver in
                    gateway.say("node/w/status", "online", isRetained: true)
                    gateway.say("node/w/state", #"{"on":true,"humidity":40}"#)
                    try await driver.awaits("things/w/data") { $0["humidity"] == 40 }
                    async let set = driver.ask("things/w/set", #"{"state":"OFF"}"#)
                    let command = try await gateway.awaits("node/w/command")
                    #expect(command["actions"] == [["on": false]])
                    let report: JSONValue = [
                        "commandID": command["commandID"] ?? .null,
                        "actionResults": [["on": ["succeeded": true]]],
                    ]
                    gateway.say("node/w/result", report.text)
                    let outcome = try await set.outcome
                    #expect(outcome == "ok")
                    gateway.say("node/x/state", #"{"on":true}"#)
                    let error = try await gateway.awaits("node/x/error")
                    #expect(error["code"] == "not_allowed")
                    // Who speaks for it is gone, and so is the end node.
                    gateway.say("status", "offline", isRetained: true)
                    try await driver.awaits("things/w/availability", "offline")
                }
            }
        }
    }

    @Test func `an onboarding over HTTP says where the broker is`() async throws {
        try await EdgeSite.open { site in
            let form = "application/vnd.kii.OnboardingWithVendorThingIDByThing+json"
            let body: JSONValue = ["vendorThingID": "v-1", "thingPassword": "secret of v-1"]
            let answer = try await site.ask(
                "POST",
                "onboardings",
                body,
                type: form,
                authorization: EdgeSite.ofApp
            )
            #expect(
                answer.body["mqttEndpoint"] == [
                    "host": .string(HostInfo.ofThisMachine().hostName),
                    "portTCP": JSONValue(site.broker.port),
                    "mqttTopic": .string("\(site.home.root)/edge/v-1"), "userName": "v-1",
                ],
                "\(answer)"
            )
            // The broker's list has it, so that it can speak as soon as it has a password there.
            try await site.readList(allowing: "edge/v-1/state")
            let printed = try await site.run([
                "acl", "--things", "--node", site.home.node,
            ])
            let kept = site.folder.read("people.acl")
            let section = printed.components(separatedBy: "\nuser v-1\n").last ?? ""
            #expect(!section.isEmpty && kept.contains("\nuser v-1\n\(section)"))
        }
    }

    @Test func `what a thing publishes as retained is refused while the daemon listens, and is removed`()
        async throws
    {
        try await withMosquitto { broker in
            try await withHome(["bindings.edge": "true"], port: broker.port) { _, visitor in
                try await visitor.awaits("alert/edge-open") { $0["severity"] == "warning" }
                let message = #"{"password":"secret of v-1"}"#
                visitor.say("edge/v-1/onboard", message, isRetained: true)
                let error = try await visitor.awaits("edge/v-1/error")
                #expect(error["code"] == "retained_command")
                let isRemoved = await eventually {
                    await visitor.said(on: "edge/v-1/onboard") == [message, ""]
                }
                #expect(isRemoved)
                visitor.say("edge/v-1/onboard", message)
                try await visitor.awaits("edge/v-1/onboarded") { $0["status"] == "ok" }
            }
        }
    }

    @Test func `an alert says that things speak on a broker without users`() async throws {
        try await withMosquitto { broker in
            try await withHome(["bindings.edge": "true"], port: broker.port) { home, visitor in
                try await visitor.awaits("alert/edge-open") { $0["severity"] == "warning" }
                visitor.say("edge/v-1/state", #"{"on":true}"#)
                let error = try await visitor.awaits("edge/v-1/error")
                #expect(error["code"] == "not_onboarded")
                visitor.say("edge/v-1/onboard", #"{"password":"secret of v-1"}"#)
                try await visitor.awaits("edge/v-1/onboarded") { $0["status"] == "ok" }
                let list = try await Program.run(
                    ["thing", "list", "--pending", "--state", home.state],
                    in: home.folder
                )
                #expect(list.status == 0 && list.output.contains("v-1"), "\(list)")
            }
        }
    }
}

/// A link to the broker with a last will, which breaks as that of a thing without power.
private struct LinkWithWill {
    private let socket: LoopbackSocket

    struct Refused: Error {}

    /// - Source: MQTT 3.1.1, 3.1 and 3.2.
    init(_ port: Int, _ root: String, _ vendor: String, _ password: String) throws {
        func text(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            return [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)]
                + bytes
        }
        // User name, password, a retained will of QoS 1, and a clean session.
        var body = text("MQTT") + [4, 0xEE, 0, 60] + text("will-\(vendor)")
        body += text("\(root)/edge/\(vendor)/status") + text("offline") + text(vendor) + text(password)
        let last = UInt8(truncatingIfNeeded: body.count / 128)
        let length = UInt8(truncatingIfNeeded: body.count % 128)
        socket = try LoopbackSocket.connected(to: port)
        try socket.send([0x10] + (last == 0 ? [length] : [length | 0x80, last]) + body)
        let answer = socket.receive()
        guard answer.count == 4, answer.last == 0 else { throw Refused() }
    }

    func breakOff() { socket.reset() }
}
