import Controller
import Flare
import JSON
import Messages
import Testing
import Things

struct MessageTests {
    @Test func `an event has all its members, and details do not replace them`() {
        let event = ChangeEvent(
            topic: .thing,
            type: "changed",
            sequence: 4,
            at: Place.start,
            id: Place.lamp,
            slug: "lamp",
            name: "Lamp",
            before: ["state": "ON"],
            after: ["state": "OFF"],
            changed: ["state"],
            cause: .init("command", tx: 7),
            details: ["action": "off", "seq": 99]
        )
        #expect(
            String(decoding: event.bytes(epoch: "e1"), as: UTF8.self)
                == #"{"action":"off","after":{"state":"OFF"},"before":{"state":"ON"},"cause":{"source":"command","tx":7},"#
                + #""changed":["state"],"epoch":"e1","event_type":"changed","id":"000000000000000300000000","name":"Lamp","seq":4,"#
                + #""slug":"lamp","ts":"2026-11-21T10:18:53.456Z"}"#
        )
    }

    @Test func `an event without an object leaves out what it has not`() {
        let event = ChangeEvent(
            topic: .bridge,
            type: "started",
            sequence: 1,
            at: Place.start,
            cause: .init("start")
        )
        #expect(
            String(decoding: event.bytes(epoch: "e1"), as: UTF8.self)
                == #"{"cause":{"source":"start"},"changed":[],"epoch":"e1","event_type":"started","seq":1,"#
                + #""ts":"2026-11-21T10:18:53.456Z"}"#
        )
    }

    private func info(
        url: String = "http://localhost:1234",
        features: [String] = ["gps"],
        application: InfoMessage.Application? = nil
    ) -> InfoMessage {
        InfoMessage(
            version: "1.0.0",
            node: "panel",
            started: Place.start,
            epoch: "e1",
            flareMode: "embedded",
            flareURL: url,
            features: features,
            application: application
        )
    }

    @Test func `info names the application of the profile files`() {
        let named = info(application: .init(version: "2.1", name: nil, identifier: "com.example.fan"))
        #expect(
            named.json["application"] == ["version": "2.1", "applicationIdentifier": "com.example.fan"]
        )
        let unnamed = info(application: .init(version: nil, name: nil, identifier: nil))
        #expect(unnamed.json == info().json)
    }

    @Test func `info tells who is speaking`() {
        #expect(
            info().json.text
                == #"{"epoch":"e1","features":["gps"],"flare":{"mode":"embedded","url":"http://localhost:1234"},"#
                + #""node":"panel","restart_required":false,"schema":1,"started":"2026-11-21T10:18:53.456Z","version":"1.0.0"}"#
        )
    }

    @Test(arguments: [
        ("http://user:secret@flare.local:1234/x", "http://flare.local:1234/x"),
        ("http://a@b@c/", "http://c/"),
        ("http://flare.local/@x", "http://flare.local/@x"), ("", ""), ("flare", "flare"),
    ])
    func `a password in the server's address is not told`(url: String, told: String) {
        #expect(info(url: url).json["flare"]?["url"] == .string(told))
    }

    @Test func `info stays below 2 KB`() {
        let long = String(repeating: "é", count: 5000)
        let info = info(
            url: long,
            features: (0..<500).map { "feature-number-\($0)-\(long)" },
            application: .init(version: long, name: long, identifier: long)
        )
        #expect(info.json.bytes.count < 2048)
    }

    @Test func `health is ok while every link is up and no alert is open`() {
        var health = HealthMessage(
            uptimeSeconds: 61,
            links: ["flare": true, "mqtt": true],
            alerts: [:],
            counters: ["dropped": 2],
            at: Place.start
        )
        #expect(
            health.json.text
                == #"{"alerts":0,"counters":{"dropped":2},"links":{"flare":true,"mqtt":true},"status":"ok","#
                + #""ts":"2026-11-21T10:18:53.456Z","uptime_s":61}"#
        )
        health.links["flare"] = false
        #expect(health.json["status"] == "degraded")
        health.links["flare"] = true
        health.alerts["x"] = Alert(severity: .warning, message: "m", since: Place.start)
        #expect(health.json["status"] == "degraded" && health.json["alerts"] == 1)
    }

    @Test func `health has what was measured, and leaves out what there is none of`() {
        var health = HealthMessage(uptimeSeconds: 1, links: [:], alerts: [:], counters: [:], at: Place.start)
        #expect(health.json["answers"] == nil && health.json["memory_bytes"] == nil)
        health.measurements.commands.record(nil, milliseconds: 1)
        health.measurements.commands.record(.notAllowed, milliseconds: nil)
        health.measurements.lastPacketSeconds = ["beacons": 2]
        health.measurements.databaseBytes = ["flare": 4096]
        health.measurements.memoryBytes = ["resident": 8192]
        health.measurements.lastBackup = 1_700_000_000
        #expect(health.json["answers"] == ["ok": 1, "not_allowed": 1])
        #expect(health.json["last_packet_s"] == ["beacons": 2])
        #expect(health.json["database_bytes"] == ["flare": 4096])
        #expect(health.json["memory_bytes"] == ["resident": 8192])
        #expect(health.json["last_backup"] == 1_700_000_000)
    }

    @Test func `the problems are links that are down and open alerts, errors first, each reason once`() {
        let later = Instant(
            wallMilliseconds: Place.start.wallMilliseconds + 1,
            steadyMilliseconds: Place.start.steadyMilliseconds + 1
        )
        let alerts = [
            "a": Alert(severity: .warning, message: "a weak battery", since: Place.start),
            "broker-link": Alert(severity: .error, message: "not authorised", since: Place.start),
            "flare-link": Alert(severity: .warning, message: "The server is gone.", since: Place.start),
            "state-folder": Alert(severity: .error, message: "the disk is\nfull", since: later),
        ]
        let links = ["mqtt": false, "flare": false, "gps": false, "compass": true]
        let problems = HealthProblem.all(links: links, alerts: alerts, brokerProblem: "not authorised")
        #expect(
            problems == [
                HealthProblem(.error, "no link to the Flare server: The server is gone."),
                HealthProblem(.error, "no link to the broker: not authorised"),
                HealthProblem(.error, "the disk is full", alert: "state-folder"),
                HealthProblem(.warning, "no link to gps"),
                HealthProblem(.warning, "a weak battery", alert: "a"),
            ]
        )
        #expect(HealthProblem.all(links: ["mqtt": true], alerts: [:]).isEmpty)
    }

    @Test func `an alert says what is wrong since when`() {
        let alert = Alert(severity: .warning, message: "Import a place.", since: Place.start)
        #expect(
            alert.json(id: "empty-place").text
                == #"{"id":"empty-place","message":"Import a place.","severity":"warning","#
                + #""since":"2026-11-21T10:18:53.456Z"}"#
        )
    }
}
