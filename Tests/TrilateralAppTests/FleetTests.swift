import JSON
import MQTT
import Testing
import TrilateralApp

struct FleetTests {
    private var fleet = Fleet(base: "home/flat", time: LocalTime())

    private mutating func receive(_ topic: String, _ payload: String) {
        fleet.receive(
            MQTTMessage(topic: "home/flat/\(topic)", payload: Array(payload.utf8), isRetained: true)
        )
    }

    private mutating func receiveHall() {
        receive("hall/status", "online")
        receive("hall/info", #"{"version":"1.2","started":"2026-11-21T10:18:53.456Z"}"#)
        receive("hall/health", #"{"status":"ok","ts":"2026-11-21T11:00:00.000Z"}"#)
        receive("hall/alerts", #"{"count":0,"ids":[]}"#)
    }

    @Test mutating func `a node is listed with status, version, health, times and alerts`() {
        receiveHall()
        receive("attic/status", "offline")
        receive("attic/health", #"{"status":"ok","ts":"2026-11-20T11:00:00.000Z"}"#)
        receive("porch/status", "online")
        receive("porch/health", #"{"status":"degraded"}"#)
        receive(
            "porch/alerts",
            #"{"count":2,"ids":["disk","broker-link"],"severity":"error","message":"no space"}"#
        )
        #expect(
            fleet.lines() == [
                "NODE   STATUS   VERSION  HEALTH    STARTED              SEEN                 ALERTS",
                "attic  offline  -        -         -                    2026-11-20 11:00:00  -",
                "hall   online   1.2      ok        2026-11-21 10:18:53  2026-11-21 11:00:00  -",
                "porch  online   -        degraded  -                    -                    2: disk…",
                "3 nodes, 2 online, 1 with alerts",
            ]
        )
        let nodes = fleet.json["nodes"]?.array ?? []
        #expect(nodes.map { $0["node"] } == ["attic", "hall", "porch"])
        #expect(nodes.map { $0["well"] } == [false, true, false])
        #expect(nodes.first?["health"] == nil, "what it last said tells nothing of now")
        #expect(nodes.last?["alerts"]?["ids"] == ["disk", "broker-link"])
        #expect(nodes.last?["alerts"]?["message"] == "no space")
    }

    @Test mutating func `nodes are read in parts, each complete once info, health and alerts have come`() {
        #expect(fleet.statusFilter == "home/flat/+/status")
        receive("porch/status", "online")
        receiveHall()
        #expect(fleet.names == ["hall", "porch"])
        #expect(
            fleet.topics(of: ["porch"])
                == ["home/flat/porch/info", "home/flat/porch/health", "home/flat/porch/alerts"]
        )
        #expect(fleet.isComplete(["hall"]) && !fleet.isComplete(["hall", "porch"]))
        receive("porch/info", #"{"started":"2026-11-21T10:18:53.456Z"}"#)
        receive("porch/health", #"{"ts":"2026-11-21T11:00:00.000Z"}"#)
        #expect(!fleet.isComplete(["porch"]))
        receive("porch/alerts", #"{"count":0}"#)
        #expect(fleet.isComplete(["porch"]) && fleet.isComplete([]))
    }

    @Test mutating func `a fleet is well while all of it is online, healthy and without alerts`() {
        receiveHall()
        #expect(fleet.isWell && !fleet.isEmpty)
        receive("hall/alerts", #"{"count":1,"ids":["disk"]}"#)
        #expect(!fleet.isWell)
        receive("hall/alerts", #"{"count":0}"#)
        receive("hall/health", #"{"status":"degraded"}"#)
        #expect(!fleet.isWell)
        receive("hall/health", #"{"status":"ok"}"#)
        #expect(fleet.isWell)
        receive("hall/status", "offline")
        #expect(!fleet.isWell)
    }

    @Test mutating func `a node whose status is cleared is none, nor is anything else below the base`() {
        receive("hall/status", "")
        receive("lamp/health", "{}")
        receive("lamp/status", "unknown")
        receive("/status", "online")
        fleet.receive(MQTTMessage(topic: "home/other/hall/status", payload: Array("online".utf8)))
        #expect(fleet.isEmpty && fleet.lines() == ["none"] && fleet.json["nodes"] == [])
    }

    @Test mutating func `a node that goes while the fleet is read is listed as gone`() {
        receiveHall()
        receive("hall/status", "")
        #expect(!fleet.isWell && fleet.names == ["hall"])
        #expect(fleet.lines().contains { $0.hasPrefix("hall  gone") }, "\(fleet.lines())")
        #expect(fleet.lines().last == "1 node, 0 online, 0 with alerts, 1 gone while this was read")
        #expect(fleet.json["nodes"]?.array?.first?["status"] == "gone")
        receive("hall/status", "online")
        #expect(fleet.isWell)
    }

    @Test(arguments: [
        (#"{"count":1,"ids":["broker-link"]}"#, "1: broker-link"),
        (#"{"count":2,"ids":["broker-link","disk"],"message":"a long sentence"}"#, "2: broker-link…"),
        (
            #"{"count":1,"ids":["an-alert-of-a-name-that-is-far-too-long"]}"#,
            "1: an-alert-of-a-name-that-…"
        ),
        (#"{"count":3}"#, "3"),
    ])
    mutating func `of its alerts a node shows the number and the first one`(alerts: String, shown: String) {
        receiveHall()
        receive("hall/alerts", alerts)
        #expect(fleet.lines().contains { $0.hasSuffix("  \(shown)") }, "\(fleet.lines())")
    }

    @Test mutating func `what strangers write cannot command the terminal, and is cut`() {
        receive("a\u{1B}[2J/status", "online")
        receive("b/status", "online")
        receive("b/info", #"{"version":"\#(String(repeating: "9", count: 1000))","started":"\u001b[31m"}"#)
        receive("b/alerts", #"{"count":-5,"ids":{},"message":7}"#)
        receive("c/status", "online")
        receive("c/alerts", "[")
        receive("\(String(repeating: "d", count: 300))/status", "online")
        let lines = fleet.lines()
        #expect(lines.count == 5, "\(lines)")
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") && $0.count < 200 }, "\(lines)")
        let alerts = (fleet.json["nodes"]?.array ?? []).map { $0["alerts"] }
        #expect(alerts == [nil, ["count": 0, "ids": []], nil], "a number below none is none")
    }

    @Test mutating func `a message that is far too large is not read`() {
        var message = MQTTMessage(topic: "home/flat/hall/status", isRetained: true)
        message.oversizeBytes = 1_000_000
        fleet.receive(message)
        #expect(fleet.isEmpty)
    }

    @Test mutating func `more nodes than are read are named as such, and those that are read still change`() {
        for number in 0...Fleet.capacity { receive("n\(number)/status", "online") }
        #expect(fleet.json["nodes"]?.array?.count == Fleet.capacity && fleet.json["complete"] == false)
        #expect(fleet.lines().last?.hasSuffix("; there are more than the 10000 that are read") == true)
        receive("n0/status", "offline")
        #expect(fleet.lines().last?.contains("9999 online") == true)
    }

    @Test mutating func `a node that is online and has not published its health or alerts is not well`() {
        receiveHall()
        #expect(fleet.isWell && fleet.json["complete"] == true)
        receive("porch/status", "online")
        #expect(!fleet.isWell)
        #expect(
            fleet.lines().contains(
                "porch  online  -        unknown  -                    -                    unknown"
            )
        )
        #expect(fleet.lines().last == "2 nodes, 2 online, 0 with alerts, 1 of unknown health")
        let porch = fleet.json["nodes"]?.array?.last
        #expect(porch == ["node": "porch", "well": false, "status": "online", "health": "unknown"])
        receive("porch/health", #"{"status":"ok"}"#)
        #expect(!fleet.isWell, "whether an alert is open is unknown")
        receive("porch/alerts", #"{"count":0}"#)
        #expect(fleet.isWell)
    }

    @Test mutating func `a fleet that was not read to its end is not well, and says so`() {
        receiveHall()
        fleet.stop(after: .seconds(3))
        #expect(!fleet.isWell && fleet.json["complete"] == false)
        #expect(fleet.json["nodes"]?.array?.count == 1)
        #expect(fleet.lines().last?.hasSuffix("; not all was read within 3 s: see --timeout") == true)
    }
}
