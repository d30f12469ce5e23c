import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Explanations of zone, nearby thing and commands.
///
/// The kitchen spans 0 to 3.9 m, the living room 4 to 7.9 m; lamps stand at (2, 2) and (6, 2). A thing is
/// near within 1.5 m.
@Suite struct ExplainTests {
    private func rig(
        at position: Point3D = Point3D(x: 1, y: 0),
        presence: ControllerConfiguration.Presence = .steady(SteadyPresence.Settings())
    ) -> Rig {
        var server = HouseServer()
        for index in server.devices.indices { server.devices[index].position = position }
        return Rig.atHome(ControllerConfiguration(), presence: presence, server: server)
    }

    private func walk(_ rig: inout Rig, _ points: (Double, Double)...) {
        for (x, y) in points {
            rig.happens(House.estimate(x, y), after: 1000)
            rig.serve()
        }
    }

    private func answer(_ rig: inout Rig, _ subject: Explanation.Subject) throws -> Answer {
        try #require(rig.command(.explain(subject)).answers.first)
    }

    private func text(_ rig: inout Rig, _ subject: Explanation.Subject) throws -> String {
        try #require(answer(&rig, subject).data?["text"]?.string)
    }

    // MARK: Zone

    @Test func `inside a zone, the explanation names the distance to its nearest side`() throws {
        var rig = rig(at: Point3D(x: 1, y: 0.5))
        let answer = try answer(&rig, .zone)
        #expect(
            answer.data?["text"]?.string
                == "The device is in Kitchen: its position lies inside, 0.5 m from the nearest side. "
                + "Position: 1, 0.5, 0, as the Flare server has it."
        )
        #expect(answer.data?["zone"]?["slug"] == "kitchen")
        #expect(answer.data?["position"] == ["x": 1, "y": 0.5, "z": 0])
    }

    @Test func `within the margin of a zone, the explanation names the margin`() throws {
        var rig = rig(at: Point3D(x: 3.5, y: 3.9))
        walk(&rig, (4.3, 3.9))
        let answer = try answer(&rig, .zone)
        let text = try #require(answer.data?["text"]?.string)
        #expect(
            text.hasPrefix(
                "The device is in Kitchen, although its position lies 0.4 m outside: "
                    + "a zone is left only beyond a margin of 0.5 m."
            )
        )
        #expect(text.hasSuffix("Position: 4.3, 3.9, 0 ±0.5 m, good, by beacons 0 s ago."))
        #expect(answer.data?["outside_m"] == 0.4)
        #expect(answer.data?["margin_m"] == 0.5)
    }

    @Test func `where shares decide, the explanation lists them, the current zone first`() throws {
        var rig = rig(at: Point3D(x: 3.5, y: 3.9))
        let shares = ZoneShares(zones: [House.kitchen: 0.3, House.living: 0.6], outside: 0.1)
        rig.happens(
            .positionEstimated(
                .init(position: Point3D(x: 3.6, y: 3.9), accuracyMetres: 1, quality: .good, zones: shares)
            ),
            after: 1000
        )
        rig.serve()
        let answer = try answer(&rig, .zone)
        let text = try #require(answer.data?["text"]?.string)
        #expect(
            text.hasPrefix(
                "The device is in Kitchen. How likely each zone is: Kitchen 30 %, "
                    + "Living room 60 %, no zone 10 %. Another one takes over when it is 1.5 times as likely. "
                    + "It is seen in Living room for 1 of the 2 updates that a change needs."
            ),
            "\(text)"
        )
        #expect(answer.data?["shares"]?.array?.map { $0["share"] } == [0.3, 0.6, 0.1])
        #expect(answer.data?["shares"]?.array?.first?["zone"]?["slug"] == "kitchen")
        #expect(answer.data?["margin_m"] == nil)
    }

    @Test func `a pending zone change is explained with its number of updates`() throws {
        var rig = rig(at: Point3D(x: 3.5, y: 3.9))
        walk(&rig, (5, 3.9))
        let answer = try answer(&rig, .zone)
        let text = try #require(answer.data?["text"]?.string)
        #expect(text.contains("It is seen in Living room for 1 of the 2 updates that a change needs."))
        #expect(answer.data?["candidate"]?["zone"]?["slug"] == "living-room")
        #expect(answer.data?["candidate"]?["updates"] == 1)
    }

    @Test func `outside all zones, the explanation names the nearest one`() throws {
        var rig = rig(at: Point3D(x: 1, y: 6))
        #expect(
            try text(&rig, .zone).hasPrefix(
                "The device is in no zone: its position lies outside of every zone; the nearest is Kitchen, 2 m away."
            )
        )
    }

    @Test func `in server mode, the explanation names the server as the one that decides`() throws {
        var rig = rig(presence: .server)
        rig.notice(.enter(zone: House.living, device: House.homeDevice))
        let answer = try answer(&rig, .zone)
        #expect(
            answer.data?["text"]?.string?.hasPrefix(
                "The device is in Living room since 0 s: the Flare server decides (controller.presence: server)."
            ) == true
        )
        #expect(answer.data?["decided_by"] == "server")
    }

    @Test func `before zones and things are read, the explanation says so`() throws {
        var rig = Rig()
        #expect(
            try text(&rig, .zone)
                == "The device is in no zone: no environment is known, because the Flare server cannot be reached."
        )
        rig.happens(.flare(.linkUp))
        rig.serveOne()
        #expect(
            try text(&rig, .nearby(thing: nil))
                == "Nothing is near: the zones and things of Home have not been read yet."
        )
    }

    @Test func `a lost position is explained with its age and its consequence`() throws {
        var rig = rig()
        walk(&rig, (1, 1))
        // Estimates go on while it is lost.
        for _ in 0..<3 { rig.happens(House.estimate(1, 1, .lost), after: 1000) }
        rig.time += 3000
        #expect(
            try text(&rig, .zone).contains(
                "has been lost for 5 s; after 60 s the device is in no zone and near nothing."
            )
        )
    }

    @Test func `beacons that count for the position are listed with their age, others are not`() throws {
        var rig = rig()
        walk(&rig, (1, 1))
        rig.happens(.beaconsHeard([House.kettle: BeaconReport(rssi: -40, age: 3)]))
        let beacons = [
            House.floorLamp: BeaconReport(rssi: -80, age: 0.4), House.lamp: BeaconReport(rssi: -60, age: 2),
        ]
        rig.happens(
            .positionEstimated(
                .init(position: Point3D(x: 1, y: 1), accuracyMetres: 1, quality: .good, beacons: beacons)
            )
        )
        let answer = try answer(&rig, .zone)
        let text = try #require(answer.data?["text"]?.string)
        #expect(
            text.hasSuffix("Beacons that count: Lamp -60 dBm 2 s ago, Floor lamp -80 dBm 0.4 s ago."),
            "\(text)"
        )
        #expect(answer.data?["heard"]?.array?.map { $0["counts"] } == [true, true])
    }

    @Test(
        arguments: [
            ([House.lamp], "receivers", "Receivers"), ([House.kettle], "beacons", "Beacons"),
            ([House.lamp, House.kettle], "beacons and receivers", "Beacons and receivers"),
        ] as [([FlareID], String, String)]
    )
    func `the sources of an estimate are named as they are`(
        heard: [FlareID],
        sources: String,
        begin: String
    ) throws {
        var server = HouseServer()
        for index in server.things.indices where server.things[index].id == House.lamp {
            server.things[index].data["receiver"] = "kitchen"
        }
        var rig = Rig.atHome(ControllerConfiguration(), presence: .steady(.init()), server: server)
        let shares = ZoneShares(zones: [House.kitchen: 0.9], outside: 0.1)
        let reports = heard.map { ($0, BeaconReport(rssi: -60, age: 1)) }
        rig.happens(
            .positionEstimated(
                .init(
                    position: Point3D(x: 1, y: 1),
                    accuracyMetres: 1,
                    quality: .good,
                    beacons: Dictionary(uniqueKeysWithValues: reports),
                    zones: shares
                )
            )
        )
        rig.serve()
        let text = try text(&rig, .zone)
        #expect(text.contains("How likely each zone is, by the \(sources): "), "\(text)")
        #expect(text.contains("good, by \(sources) 0 s ago. \(begin) that count: "), "\(text)")
    }

    @Test func `while no beacon counts, recently heard ones are listed, strongest first`() throws {
        var rig = rig()
        walk(&rig, (1, 1))
        rig.happens(
            .beaconsHeard([
                House.floorLamp: BeaconReport(rssi: -80, age: 1), House.lamp: BeaconReport(rssi: -60, age: 2),
                House.kettle: BeaconReport(rssi: -40, age: 600),
            ])
        )
        let answer = try answer(&rig, .zone)
        let text = try #require(answer.data?["text"]?.string)
        #expect(
            text.hasSuffix(
                "No beacon counts now; last reported: Lamp -60 dBm 2 s ago, Floor lamp -80 dBm 1 s ago."
            )
        )
        #expect(answer.data?["heard"]?.array?.map { $0["slug"] } == ["lamp", "floor-lamp"])
    }

    // MARK: Nearby

    @Test func `the nearby thing is explained by its distance and the limit`() throws {
        var rig = rig(at: Point3D(x: 2, y: 1))
        #expect(
            try text(&rig, .nearby(thing: nil)).hasPrefix(
                "Lamp is near: it is the nearest thing, 1 m away, and the limit is 1.5 m."
            )
        )
    }

    @Test func `a nearby thing beyond the limit is explained by the distance at which it is left`() throws {
        var rig = rig(at: Point3D(x: 2, y: 1))
        walk(&rig, (2, 0.2))
        #expect(
            try text(&rig, .nearby(thing: nil)).hasPrefix(
                "Lamp is still near at 1.8 m: the limit is 1.5 m, and a near thing is left only beyond 2 m."
            )
        )
    }

    @Test func `with nothing nearby, the explanation names the nearest thing`() throws {
        var rig = rig(at: Point3D(x: 2, y: 6))
        let answer = try answer(&rig, .nearby(thing: nil))
        #expect(
            answer.data?["text"]?.string?.hasPrefix(
                "Nothing is near: the nearest thing, Lamp, is 4 m away, and the limit is 1.5 m."
            ) == true
        )
        #expect(answer.data?["nearby"] == .null)
        #expect(answer.data?["things"]?.array?.first?["distance_m"] == 4)
    }

    @Test(arguments: [
        ("floor-lamp", "Floor lamp is not near: it is 4.12 m away, and the limit is 1.5 m."),
        ("kettle", "Kettle cannot be near: it has no position."),
        ("lamp", "Lamp is near: it is the nearest thing, 1 m away, and the limit is 1.5 m."),
    ])
    func `a named thing is explained whether or not it is near`(slug: String, sentence: String) throws {
        var rig = rig(at: Point3D(x: 2, y: 1))
        #expect(try text(&rig, .nearby(thing: slug)).hasPrefix(sentence))
    }

    @Test func `an unknown thing is refused with the most similar name`() throws {
        var rig = rig()
        let refusal = try #require(answer(&rig, .nearby(thing: "lmap")).refusal)
        #expect(refusal.code == .unknownThing)
        #expect(refusal.message.contains("did you mean \"lamp\""))
    }

    // MARK: Commands

    @Test func `an accepted command is explained with its duration`() throws {
        var rig = rig()
        rig.set(["color": "blue"], tx: "7")
        rig.time += 12
        rig.serve()
        rig.time += 3000
        let answer = try answer(&rig, .command(tx: 7))
        #expect(
            answer.data?["text"]?.string
                == "The command with tx \"7\", set color of lamp, came 3 s ago from a client of the broker "
                + "and was carried out after 12 ms."
        )
        #expect(answer.data?["outcome"] == "accepted")
        #expect(answer.data?["took_ms"] == 12)
    }

    @Test func `a refused command is explained with the reason`() throws {
        var rig = rig()
        rig.set(["color": "blurple"])
        let answer = try answer(&rig, .command(tx: nil))
        #expect(answer.data?["outcome"] == "refused")
        #expect(answer.data?["code"] == "unknown_colour")
        #expect(answer.data?["text"]?.string?.contains("and was refused after 0 ms: ") == true)
    }

    @Test func `a pending command is explained with its position in the queue`() throws {
        var rig = rig()
        rig.set(["color": "blue"], tx: "a")
        rig.set(["brightness": 10], tx: "b")
        #expect(
            try text(&rig, .command(tx: "a")).hasSuffix(
                "and was sent to the Flare server, which has not confirmed it yet."
            )
        )
        #expect(try text(&rig, .command(tx: "b")).hasSuffix("and waits behind 1 earlier command for Lamp."))
    }

    @Test func `a command that could not be parsed is explained with the reason`() throws {
        var rig = rig()
        var refused = Answer(ticket: 0, tx: "9", subject: .set)
        refused.refusal = Refusal(.badJSON, "the payload is not JSON")
        rig.happens(.commandRefused(refused))
        #expect(try text(&rig, .command(tx: "9")).contains("the payload is not JSON (bad_json)"))
    }

    @Test func `a transition that is still running is mentioned`() throws {
        var rig = rig()
        rig.set(["brightness": 10], over: 5, tx: "slow")
        rig.serve()
        #expect(try text(&rig, .command(tx: "slow")).hasSuffix("Its transition is still running."))
    }

    @Test func `an explanation is refused for an unknown tx or before the first command`() throws {
        var rig = rig()
        #expect(try answer(&rig, .command(tx: nil)).refusal?.message == "no command has come in this run")
        rig.set(["color": "blue"], tx: "a")
        let refusal = try #require(answer(&rig, .command(tx: "b")).refusal)
        #expect(refusal.code == .unknownCommand)
        #expect(refusal.field == "command")
    }

    @Test func `the last 256 commands can be explained, not counting explanation requests`() throws {
        var rig = rig()
        for number in 1...300 {
            rig.set(["color": "blue"], tx: .number(Double(number)))
            rig.serve()
        }
        for _ in 1...300 { _ = try answer(&rig, .command(tx: nil)) }
        #expect(try answer(&rig, .command(tx: 44)).refusal != nil)
        #expect(try answer(&rig, .command(tx: 45)).refusal == nil)
        #expect(try answer(&rig, .command(tx: 300)).data?["tx"] == 300)
    }

    @Test func `an explanation does not change the state`() throws {
        var rig = rig()
        _ = rig.controller.removeChanges()
        let before = rig.state
        for subject in [Explanation.Subject.zone, .nearby(thing: nil), .command(tx: nil)] {
            _ = try answer(&rig, subject)
        }
        #expect(rig.state == before)
        #expect(rig.controller.removeChanges().isEmpty)
    }
}
