import Flare
import Rules
import Testing
import Things

/// Rules about where further devices are.
struct DeviceOfRuleTests {
    private func rows(_ members: String, events: String...) throws -> [String] {
        try SimulatedRules("{\(members)}").rows(events)
    }

    @Test func `a rule about a device is started by this device alone`() throws {
        let rows = try rows(
            #""when":[{"on":"enter","zone":"kitchen","device":"anna"},{"on":"far","thing":"lamp","device":"anna"}]"#,
            events: "01:00:00,enter,zone:kitchen,",
            "01:00:01,enter,zone:kitchen,bert",
            "01:00:02,enter,zone:kitchen,anna",
            "01:00:03,near,lamp,anna",
            "01:00:04,near,lamp,",
            "01:00:05,far,lamp,",
            "01:00:06,far,lamp,anna"
        )
        #expect(rows == ["01:00:02 enter zone:kitchen anna", "01:00:06 far lamp anna"])
    }

    @Test func `a rule without a device is not started by further devices`() throws {
        let rows = try rows(
            #""when":[{"on":"enter","zone":"kitchen"},{"on":"near","thing":"lamp"}],"if":[{"zone":"kitchen"}]"#,
            events: "01:00:00,enter,zone:kitchen,anna",
            "01:00:01,near,lamp,anna",
            "01:00:02,enter,zone:kitchen,"
        )
        #expect(rows == ["01:00:02 enter zone:kitchen"])
    }

    @Test func `any device that comes or goes starts a rule, each time`() throws {
        let rows = try rows(
            #""when":[{"on":"enter","zone":"kitchen","device":"any"},{"on":"exit","zone":"kitchen","device":"any"}]"#,
            events: "01:00:00,enter,zone:kitchen,",
            "01:00:01,enter,zone:kitchen,anna",
            "01:00:02,exit,zone:kitchen,",
            "01:00:03,exit,zone:kitchen,anna"
        )
        #expect(
            rows == [
                "01:00:00 enter zone:kitchen", "01:00:01 enter zone:kitchen anna",
                "01:00:02 exit zone:kitchen", "01:00:03 exit zone:kitchen anna",
            ]
        )
    }

    @Test func `a zone is occupied by the first device that comes, and empty after the last one`() throws {
        let rows = try rows(
            #""when":[{"on":"enter","zone":"kitchen","device":"first"},{"on":"exit","zone":"kitchen","device":"last"}]"#,
            events: "01:00:00,enter,zone:kitchen,anna",
            "01:00:01,enter,zone:kitchen,",
            "01:00:02,enter,zone:hall,bert",
            "01:00:03,exit,zone:kitchen,anna",
            "01:00:04,exit,zone:kitchen,",
            "01:00:05,enter,zone:kitchen,bert"
        )
        #expect(
            rows == [
                "01:00:00 enter zone:kitchen anna", "01:00:04 exit zone:kitchen",
                "01:00:05 enter zone:kitchen bert",
            ]
        )
    }

    @Test(arguments: [
        ("anna", ["01:00:01", "01:00:02"]), ("any", ["01:00:00", "01:00:01", "01:00:02"]),
        ("none", ["01:00:03"]), ("bert", ["01:00:00", "01:00:01"]),
    ])
    func `a condition looks at one device, at any, or at none`(device: String, times: [String]) throws {
        let write = #"state,meter,{"value":1}"#
        let rows = try rows(
            #""when":[{"on":"state","thing":"meter","field":"value","edge":"CONDITION_TRUE"}],"#
                + #""if":[{"zone":["kitchen","hall"],"device":"\#(device)"}]"#,
            events: "00:30:00,enter,zone:hall,bert",
            "01:00:00,\(write)",
            "01:00:00,enter,zone:kitchen,anna",
            "01:00:01,\(write)",
            "01:00:01,exit,zone:hall,bert",
            "01:00:02,\(write)",
            "01:00:02,exit,zone:kitchen,anna",
            "01:00:03,\(write)"
        )
        #expect(rows == times.map { "\($0) state meter value \($0 == "01:00:00" ? "null" : "1") -> 1" })
    }

    @Test func `after a start no zone is empty or occupied until all devices are known`() throws {
        let rows = try rows(
            #""when":[{"on":"enter","zone":"kitchen","device":"first"},{"on":"exit","zone":"kitchen","device":"last"}]"#,
            events: "00:30:00,enter,zone:kitchen,anna",
            "01:00:00,stop,,",
            "01:00:01,start,,",
            "01:00:02,enter,zone:kitchen,anna",
            "01:00:03,exit,zone:kitchen,anna",
            "01:00:04,enter,zone:hall,",
            "01:00:05,enter,zone:kitchen,anna",
            "01:00:06,exit,zone:kitchen,anna"
        )
        #expect(
            rows == [
                "00:30:00 enter zone:kitchen anna", "01:00:05 enter zone:kitchen anna",
                "01:00:06 exit zone:kitchen anna",
            ]
        )
    }

    @Test func `a rule whose device is not listed is suspended until it is`() throws {
        var rig = EngineRig()
        try rig.add(1, #"{"when":{"on":"enter","zone":"kitchen","device":"anna"}}"#)
        rig.handle(.deviceGone("bert"))
        #expect(rig.engine.suspension(of: 1) == nil)
        rig.handle(.deviceGone("anna"))
        #expect(rig.engine.suspension(of: 1) == .gone)
        rig.handle(.deviceBack("anna"))
        #expect(rig.engine.suspension(of: 1) == nil)
    }

    @Test func `a test says where devices are`() throws {
        var rig = EngineRig()
        let rule = try rig.rule(
            #"{"when":[{"on":"enter","zone":"kitchen","device":"anna"},{"on":"exit","zone":"kitchen","device":"last"}],"if":[{"zone":"hall","device":"none"}]}"#
        )
        rig.place.zone = .at(try rig.id(.zone, "kitchen"))
        let lines = RuleTest(of: rule, in: rig.place, at: rig.now.wall, RuleCalendar()).lines.map(\.text)
        #expect(
            lines == [
                "unknown when[0] anna enters kitchen: not known",
                "false when[1] the last device leaves kitchen: this device kitchen",
                "true if[0] no device is in hall: this device kitchen",
            ]
        )
    }

    // MARK: The form

    @Test(arguments: [
        (#"{"on":"enter","zone":"z","device":"last"}"#, "when[0].device"),
        (#"{"on":"exit","zone":"z","device":"first"}"#, "when[0].device"),
        (#"{"on":"near","thing":"a","device":"none"}"#, "when[0].device"),
        (#"{"on":"near","thing":"a","device":""}"#, "when[0].device"),
        (#"{"on":"enter","beacon":"id1: 0x2f234454cf6d4a0fadf2","device":"any"}"#, "when[0].device"),
        (
            #"{"on":"exit","geofence":{"latitude":0,"longitude":0,"radius":50},"device":"anna"}"#,
            "when[0].device"
        ),
    ])
    func `what means nothing of a device is refused`(trigger: String, field: String) throws {
        let refusal = #expect(throws: Refusal.self) { try SimulatedRules(#"{"when":\#(trigger)}"#) }
        #expect(refusal?.field == field && refusal?.code == .invalidValue, "\(refusal?.message ?? "")")
    }

    @Test func `a rule says whose coming and going it is`() throws {
        let rule = try SimulatedRules.rule(
            #"""
            {"when":[{"on":"enter","zone":"kitchen","device":"anna"},{"on":"near","thing":"lamp","device":"first"},
              {"on":"far","thing":"lamp","device":"any"}],
             "if":[{"zone":["hall","bath"],"device":"none"},{"near":["lamp"],"device":"bert"}]}
            """#
        )
        #expect(
            rule.sentence
                == "When anna enters kitchen, when the first device comes near lamp, or when any device moves away "
                + "from lamp, but only if no device is in hall or bath and bert is near lamp: "
                + "a message is published on its topic."
        )
        #expect(rule.nodes == ["anna", "bert"] && rule.uses.nodes == ["anna", "bert"])
        #expect(rule.uses.looksAtDevices)
    }

    @Test func `a rule about named devices looks at these alone`() throws {
        let rule = try SimulatedRules.rule(
            #"{"when":[{"on":"enter","zone":"kitchen","device":"anna"}],"if":[{"near":["lamp"],"device":"bert"}]}"#
        )
        #expect(rule.uses.nodes == ["anna", "bert"] && !rule.uses.looksAtDevices)
        let own = try rule.replacingDevices { (device, path) throws(Refusal) in
            device.node == "anna" ? .own : device
        }
        #expect(own.uses.nodes == ["bert"] && own.uses.looksAtDevices)
    }

    @Test func `the command line says whose coming and going it is`() throws {
        var options = RuleOptions()
        (options.enter, options.far, options.who) = (["zone:kitchen"], ["lamp"], "anna")
        options.steps = [.publish("1")]
        let expected = try SimulatedRules.rule(
            #"{"when":[{"on":"enter","zone":"kitchen","device":"anna"},{"on":"far","thing":"lamp","device":"anna"}]}"#
        )
        #expect(try options.rule().rule.triggers == expected.triggers)
        options.who = "last"
        let refused = #expect(throws: Refusal.self) { try options.rule() }
        #expect(refused?.field == "--who")
        (options.enter, options.far, options.level) = ([], [], ["Active"])
        let needed = #expect(throws: Refusal.self) { try options.rule() }
        #expect(needed?.message == "--who needs --enter, --exit, --near or --far")
    }
}
