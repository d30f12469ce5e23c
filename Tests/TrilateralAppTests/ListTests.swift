import JSON
import Testing
import TrilateralApp

struct ListReportTests {
    private let read: JSONObject = [
        "things/lamp": [
            "name": "Desk lamp", "zone": "study", "state": "ON", "brightness": 255, "color_name": "red",
        ],
        "things/lamp/availability": "offline",
        "things/lamp/data": ["on": true, "color": "red", "minor": 7, "power": -59, "volume": 5],
        "things/fridge": ["name": "Fridge"],
        "things/fridge/data": [
            "door": false, "temperature": 6.5, "kind": "sensor", "readonly": ["door"], "options": ["a"],
            "text": "a text of more than twenty-four letters",
        ],
        "things/shelf": ["name": "Shelf\u{1B}[2J"],
        "zones/study": ["name": "Study"],
        "zones/study/lights": [
            "lights": 2, "on": 1, "brightness": 51, "color": ["r": 255, "g": 165, "b": 0],
        ],
        "zone": ["slug": "study"],
        "environments/flat": ["name": "Flat"], "environments/hut": ["name": "Hut"],
        "environment": ["slug": "hut"],
        "pi/status": "online", "pi/info": ["version": "1.2", "started": "2026-11-21T10:18:53.456Z"],
        "old/status": "offline",
    ]

    private func report(_ kind: ListReport.Kind) -> ListReport { ListReport(kind, read, time: LocalTime()) }

    @Test func `things are listed with their zone, availability and values`() {
        #expect(
            report(.things).lines() == [
                "THING   NAME            ZONE   AVAILABILITY  VALUES",
                "fridge  Fridge          -      -             "
                    + "door false, temperature 6.5, text a text of more than twe…",
                "lamp    Desk lamp       study  offline       on, 100 %, red, volume 5",
                "shelf   Shelf\\u{1b}[2J  -      -             -",
            ]
        )
        #expect(report(.things).lines(columns: 50)[2] == "lamp    Desk lamp       study  offline       on, …")
        #expect(report(.things).json.array?.dropFirst().first?["availability"] == "offline")
    }

    @Test func `a thing with a profile is listed with the values of its profile`() {
        let blind: JSONValue = [
            "name": "Blind", "profile": "blind", "values": ["position": 40, "tilt": 50.5, "mode": .null],
        ]
        let lines = ListReport(.things, ["things/blind": blind], time: LocalTime()).lines()
        #expect(lines.last?.hasSuffix("position 40, tilt 50.5") == true, "\(lines)")
    }

    @Test func `zones are listed with their lights, environments with the one that is current`() {
        #expect(
            report(.zones).lines() == [
                "ZONE   NAME   LIGHTS                    HERE",
                "study  Study  1 of 2 on, 20 %, #ffa500  yes",
            ]
        )
        #expect(
            report(.environments).lines()
                == ["ENVIRONMENT  NAME  HERE", "flat         Flat  -", "hut          Hut   yes"]
        )
        #expect(report(.environments).json.array?.map { $0["current"] } == [false, true])
    }

    @Test(arguments: [ListReport.Kind.zones, .environments])
    func `no zone or environment is called current or not where it is not known which one is`(
        kind: ListReport.Kind
    ) {
        let topics = ["zone", "environment"]
        let unknown = ListReport(kind, read.filter { !topics.contains($0.key) }, time: LocalTime())
        #expect(unknown.json.array?.isEmpty == false)
        #expect(unknown.json.array?.allSatisfy { $0["current"] == nil } == true)
        #expect(unknown.lines().dropFirst().allSatisfy { $0.hasSuffix("  -") })
        let nowhere = read.merging(["zone": ["id": .null], "environment": ["id": .null]]) { $1 }
        let known = ListReport(kind, nowhere, time: LocalTime()).json
        #expect(known.array?.allSatisfy { $0["current"] == false } == true)
    }

    @Test func `nodes are listed with their status, online or not`() {
        #expect(
            report(.nodes).lines() == [
                "NODE  STATUS   VERSION  STARTED", "old   offline  -        -",
                "pi    online   1.2      2026-11-21 10:18:53",
            ]
        )
    }

    @Test func `nodes of several brokers are listed with their broker`() {
        let reports = [
            ListReport(.nodes, read, of: "a:1883", time: LocalTime()),
            ListReport(.nodes, ["demo/status": "unknown"], of: "b:1883", time: LocalTime()),
        ]
        let lines = reports.lines()
        #expect(lines.first?.hasSuffix("BROKER") == true && lines.count == 4, "\(lines)")
        #expect(lines.last?.hasPrefix("demo  unknown") == true && lines.last?.hasSuffix("b:1883") == true)
        #expect(reports.json.array?.last == ["node": "demo", "status": "unknown", "broker": "b:1883"])
        #expect([ListReport(.nodes, [:], time: LocalTime())].lines() == ["none"])
    }

    @Test func `nodes that are online are those whose status says so`() {
        #expect(report(.nodes).online == ["pi"])
        let read: JSONObject = ["b/status": "online", "a/status": "online", "c/status": "", "d/info": [:]]
        #expect(ListReport(.nodes, read, time: LocalTime()).online == ["a", "b"])
    }

    @Test func `an empty list is told as such`() {
        for kind in ListReport.Kind.allCases {
            let report = ListReport(kind, [:], time: LocalTime())
            #expect(report.lines() == ["none"] && report.json == [])
        }
    }
}

struct GetTests {
    private let read: JSONObject = [
        "zones/study": ["id": "5", "name": "The study"], "zones/study/lights": ["on": 1],
        "zones/bath": ["id": "6", "name": "Bath"],
        "things/lamp/data": ["volume": 5], "things/lamp/availability": "online",
        "alert/b": ["id": "b"], "alert/a": ["id": "a"],
    ]

    private func got(_ word: String, _ outcome: DriveExchange.Outcome) throws -> DriveExchange.Outcome {
        try #require(DriveTarget(word)).completed(outcome, with: read)
    }

    @Test func `a sensor that there is not is known without asking`() throws {
        let radar = try #require(DriveTarget("sensors/radar"))
        #expect(
            radar.knownOutcome
                == .unknown("no sensor is called \"radar\"; there are gps, beacons, cmx, compass")
        )
        #expect(DriveTarget("sensors/compass")?.knownOutcome == nil)
        #expect(DriveTarget("lamp")?.knownOutcome == nil)
    }

    @Test func `a thing is told with its data and its availability`() throws {
        #expect(
            try got("lamp", .state(["slug": "lamp"]))
                == .state(["slug": "lamp", "data": ["volume": 5], "availability": "online"])
        )
    }

    @Test
    func `a word that names no zone cannot command the terminal, nor can the names of those that are there`()
        throws
    {
        let zones: JSONObject = ["zones/hall\u{1b}[2J": ["id": "1"]]
        let outcome = try #require(DriveTarget("zones/x")).completed(.answer(["status": "ok"]), with: zones)
        guard case .unknown(let reason) = outcome else { throw UnexpectedOutcome() }
        #expect(reason.contains(#"there are: hall\u{1b}[2J"#), "\(reason)")
    }

    private struct UnexpectedOutcome: Error {}

    @Test(arguments: ["zones/study", "zones/5", "zones/the study"])
    func `a zone is found by short name, id or name, and told with its lights`(word: String) throws {
        #expect(
            try got(word, .answer([:]))
                == .state(["id": "5", "name": "The study", "lights": ["on": 1]])
        )
    }

    @Test func `a zone that is none is told with those that are, or the nearest`() throws {
        #expect(
            try got("zones/attic", .answer([:]))
                == .unknown(#"there is no zone "attic"; there are: bath, study"#)
        )
        #expect(
            try got("zones/stduy", .answer([:]))
                == .unknown(#"there is no zone "stduy"; did you mean "study"?"#)
        )
    }

    @Test func `alerts are told in order, and who did not answer is told as such`() throws {
        #expect(try got("alerts", .answer([:])) == .state([["id": "a"], ["id": "b"]]))
        #expect(try got("alerts", .noBroker("gone")) == .noBroker("gone"))
    }
}
