import Testing

/// Rules about where the device is, its level, and connections.
struct PlaceTriggerTests {
    private func rows(_ triggers: String..., events: String...) throws -> [String] {
        let rules = try SimulatedRules(#"{"when":[\#(triggers.joined(separator: ","))]}"#)
        return try rules.rows(events)
    }

    private static let circle = #""geofence":{"latitude":52,"longitude":13,"radius":100}"#

    @Test func `a circle is entered within its radius, and left 20 m beyond it`() throws {
        // 0.001 degrees of latitude are 111.2 m.
        let rows = try rows(
            #"{"on":"enter",\#(Self.circle)}"#,
            #"{"on":"exit",\#(Self.circle)}"#,
            events: "01:00:00,location,,52.01 13",
            "01:01:00,location,,52.00089 13",
            "01:02:00,location,,52.00107 13",
            "01:03:00,location,,52.00109 13",
            "01:04:00,location,,52.00095 13",
            "01:05:00,location,,52 13",
            "01:06:00,location,,52.002 13 150",
            "01:07:00,location,,52.01 13 150"
        )
        #expect(
            rows == [
                "01:01:00 enter geofence", "01:03:00 exit geofence", "01:05:00 enter geofence",
                "01:07:00 exit geofence",
            ]
        )
    }

    @Test func `the first location is no event, also after a restart`() throws {
        let rows = try rows(
            #"{"on":"enter",\#(Self.circle)}"#,
            events: "01:00:00,location,,52 13",
            "01:01:00,location,,53 13",
            "01:02:00,stop,,",
            "01:03:00,start,,",
            "01:04:00,location,,52 13"
        )
        #expect(rows.isEmpty)
    }

    private static let beacon = "id1: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6 id2: 1 id3: 2"
    private static let group = #""beacon":{"uuid":"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"}"#

    @Test func `a beacon is in when it is heard, and out when it was not heard for a time`() throws {
        let rows = try rows(
            #"{"on":"enter",\#(Self.group)}"#,
            #"{"on":"exit",\#(Self.group),"gone":30}"#,
            events: "01:00:00,beacon,\(Self.beacon),-90",
            "01:00:20,beacon,\(Self.beacon),-90",
            "01:02:00,beacon,\(Self.beacon),-90"
        )
        #expect(
            rows == [
                "01:00:00 enter beacon", "01:00:50 exit beacon", "01:02:00 enter beacon",
                "01:02:30 exit beacon",
            ]
        )
    }

    @Test func `a beacon that is heard too weakly is not there`() throws {
        let rows = try rows(
            #"{"on":"enter",\#(Self.group),"rssi":-70}"#,
            #"{"on":"exit",\#(Self.group),"rssi":-70}"#,
            events: "01:00:00,beacon,\(Self.beacon),-71",
            "01:00:10,beacon,\(Self.beacon),-70",
            "01:00:50,beacon,\(Self.beacon),-80"
        )
        #expect(rows == ["01:00:10 enter beacon", "01:01:10 exit beacon"])
    }

    @Test func `a beacon that is heard right after the start is no event`() throws {
        #expect(
            try rows(#"{"on":"enter",\#(Self.group)}"#, events: "00:00:10,beacon,\(Self.beacon),-70").isEmpty
        )
    }

    @Test func `zones and things fire on coming in and on going out`() throws {
        let rows = try rows(
            #"{"on":"enter","zone":"kitchen"}"#,
            #"{"on":"exit","zone":"kitchen"}"#,
            #"{"on":"near","thing":"lamp"}"#,
            #"{"on":"far","thing":"lamp"}"#,
            events: "01:00:00,enter,zone:kitchen,",
            "01:00:01,near,lamp,",
            "01:00:02,far,lamp,",
            "01:00:03,exit,zone:kitchen,",
            "01:00:04,enter,zone:hall,"
        )
        #expect(
            rows == [
                "01:00:00 enter zone:kitchen", "01:00:01 near lamp", "01:00:02 far lamp",
                "01:00:03 exit zone:kitchen",
            ]
        )
    }

    @Test func `where the device is after a start is no event`() throws {
        let rows = try rows(
            #"{"on":"enter","zone":"kitchen"}"#,
            #"{"on":"lifecycle","level":"FULL"}"#,
            events: "01:00:00,stop,,",
            "01:01:00,start,,",
            "01:02:00,enter,zone:kitchen,",
            "01:03:00,level,,Active",
            "01:04:00,exit,zone:kitchen,",
            "01:05:00,enter,zone:kitchen,"
        )
        #expect(rows == ["01:05:00 enter zone:kitchen"])
    }

    @Test func `a level fires when it is reached, and a call when it is made`() throws {
        let rows = try rows(
            #"{"on":"lifecycle","level":"LIMITED"}"#,
            #"{"on":"lifecycle","call":"applicationDidFinishLaunching"}"#,
            events: "01:00:00,level,,Background",
            "01:01:00,level,,Limited",
            "01:02:00,level,,Limited",
            "01:03:00,level,,Active",
            "01:04:00,level,,Limited"
        )
        #expect(
            rows == [
                "01:00:00 call applicationDidFinishLaunching", "01:01:00 level Limited",
                "01:04:00 level Limited",
            ]
        )
    }

    private func device(_ event: String, _ events: String...) throws -> [String] {
        let rules = try SimulatedRules(#"{"when":{"on":"device","thing":"meter","event":"\#(event)"}}"#)
        return try rules.rows(events)
    }

    @Test func `a lost connection must last`() throws {
        let rows = try device(
            "on_connection_lost",
            "01:00:00,availability,meter,offline",
            "01:04:59,availability,meter,online",
            "02:00:00,availability,meter,offline"
        )
        #expect(rows == ["02:05:00 device meter on_connection_lost"])
    }

    @Test func `a connection is restored only after a loss that lasted`() throws {
        let rows = try device(
            "on_connection_restore",
            "01:00:00,availability,meter,offline",
            "01:04:59,availability,meter,online",
            "02:00:00,availability,meter,offline",
            "02:05:00,availability,meter,online",
            "02:06:00,availability,meter,offline",
            "02:07:00,availability,meter,online"
        )
        #expect(rows == ["02:12:00 device meter on_connection_restore"])
    }

    @Test func `connecting and a new address are moments`() throws {
        #expect(
            try device(
                "on_connect",
                "01:00:00,availability,meter,online",
                "01:01:00,availability,meter,offline",
                "01:02:00,availability,meter,online"
            ) == ["01:02:00 device meter on_connect"]
        )
        #expect(
            try device(
                "ip_change",
                #"01:00:00,state,meter,{"ip":"10.0.0.1"}"#,
                #"01:01:00,state,meter,{"ip":"10.0.0.1"}"#,
                #"01:02:00,state,meter,{"ip":"10.0.0.2"}"#
            ) == ["01:02:00 device meter ip_change"]
        )
    }

    @Test func `a device that is offline at the start was not lost`() throws {
        #expect(
            try device(
                "on_connection_lost",
                "01:00:00,stop,,",
                "01:01:00,start,,",
                "01:02:00,availability,meter,offline"
            ).isEmpty
        )
    }
}
