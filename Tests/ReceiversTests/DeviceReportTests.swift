import JSON
import Positioning
import Receivers
import SeededRandom
import Testing

@Suite struct DeviceReportTests {
    /// What a node of version 4 sends.
    private static let node = """
        {"mac":"5ef2d0a3c1b4","id":"phone:anna","name":"Anna","rssi@1m":-65,"rssi":-71.33,"rxAdj":0,"rssiVar":1.02,\
        "distance":1.81,"var":0.44,"close":true,"int":312,"batt":80,"mV":3011,"temp":21.50}
        """

    private func decode(_ text: String, id: String = "phone:anna") throws(ReportError) -> (
        DeviceReport, [String]
    ) {
        let (report, unusable) = try DeviceReport.decode(Array(text.utf8), id: id, receiver: "kitchen")
        return (report, unusable.map(\.description))
    }

    @Test func `a report of a node is read`() throws {
        let (report, unusable) = try decode(Self.node)
        let expected = DeviceReport(
            id: "phone:anna",
            receiver: "kitchen",
            name: "Anna",
            address: 0x5EF2_D0A3_C1B4,
            rssi: -71.33,
            powerAtOneMetre: -65,
            distance: 1.81,
            variance: 0.44,
            interval: 312
        )
        #expect(report == expected && unusable.isEmpty)
        let sighting = ReceiverSighting(receiver: "kitchen", rssi: -71, powerAtOneMetre: -65, time: 5)
        #expect(report.sighting(at: 5) == sighting)
    }

    @Test func `an old node writes numbers as texts`() throws {
        let (report, unusable) = try decode(
            #"{"id":"phone:anna","rssi":"-71","rssi@1m":"-65","distance":"1.9","raw":240.5}"#
        )
        #expect(
            report.rssi == -71 && report.powerAtOneMetre == -65 && report.distance == 1.9 && unusable.isEmpty
        )
    }

    @Test func `the distance by the last packet alone may be a long one`() throws {
        let (report, unusable) = try decode(#"{"rssi":-95,"raw":240.5,"distance":14.12}"#)
        #expect(report.raw == 240.5 && unusable.isEmpty)
    }

    @Test(arguments: [
        (#"{"rssi":-70,"distance":1e9}"#, "distance must be a number from 0 to 1000 (is 1000000000)"),
        (#"{"rssi":-70,"distance":-1}"#, "distance must be"), (#"{"rssi":-70,"raw":-1}"#, "raw must be"),
        (#"{"rssi":-70,"var":"x"}"#, "var must be"),
        (#"{"rssi":-70,"rssi@1m":4}"#, "rssi@1m must be a whole number from -127 to -1"),
        (#"{"rssi":-70,"int":-5}"#, "int must be"), (#"{"rssi":-70,"mac":"nowhere"}"#, "mac must be twelve"),
        (#"{"rssi":-70,"id":"phone:bob"}"#, "id must be the one of the topic"),
        (#"{"rssi":-70,"name":["a"]}"#, "name must be a text"),
    ])
    func `a member that cannot be is left out, with the reason`(_ text: String, _ why: String) throws {
        let (report, unusable) = try decode(text)
        #expect(report == DeviceReport(id: "phone:anna", receiver: "kitchen", rssi: -70))
        #expect(unusable.count == 1 && unusable.first?.hasPrefix(why) == true)
    }

    @Test func `NaN is no number`() throws {
        let (report, _) = try decode(#"{"rssi":-70,"distance":NaN,"var":-Infinity}"#)
        #expect(report.distance == nil && report.variance == nil)
        #expect(throws: ReportError("rssi is missing")) { try decode(#"{"rssi":NaN}"#) }
    }

    @Test(arguments: [
        ("", "is not JSON"), ("[]", "must be an object"), ("{}", "rssi is missing"),
        (#"{"rssi":"near"}"#, "rssi must be a number"), (#"{"rssi":-1e9}"#, "rssi must be a number"),
        (String(repeating: "[", count: 300), "is not JSON"),
        (#"{"rssi":-60,"x":"\#(String(repeating: "1", count: 5000))"}"#, "at most 4096"),
    ])
    func `another message is refused`(_ text: String, _ why: String) {
        let error = #expect(throws: ReportError.self) { try decode(text) }
        #expect(error?.description.contains(why) == true)
    }

    @Test(arguments: [0.0, 127, -128]) func `a level that none can be means that it was not heard`(
        _ rssi: Double
    ) {
        let report = DeviceReport(id: "a:b", receiver: "kitchen", rssi: rssi)
        #expect(!report.isHeard && report.sighting(at: 0) == nil)
    }

    @Test func `what is written is read again`() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<500 {
            func some<Value>(_ value: Value) -> Value? { random.chance(3) ? nil : value }
            let number = Double(random.number(below: 10_000)) / 100
            let report = DeviceReport(
                id: "phone:\(random.number(below: 9))\"\\",
                receiver: "kitchen",
                name: some("Ännas \"phone\""),
                address: some(random.next() & 0xFFFF_FFFF_FFFF),
                rssi: -number,
                powerAtOneMetre: some(-1 - random.number(below: 127)),
                raw: some(number),
                distance: some(number),
                variance: some(number),
                interval: some(random.number(below: 5000)),
                disc: some("x")
            )
            let (read, unusable) = try DeviceReport.decode(report.payload, id: report.id, receiver: "kitchen")
            #expect(read == report && unusable.isEmpty)
        }
    }

    @Test func `numbers that JSON cannot write are not sent`() throws {
        let report = DeviceReport(
            id: "a:b",
            receiver: "k",
            rssi: -70,
            distance: .infinity,
            variance: .infinity
        )
        let (read, _) = try DeviceReport.decode(report.payload, id: "a:b", receiver: "k")
        #expect(read.distance == 1000 && read.variance == 1e6)
    }

    @Test func `a message that was cut off anywhere is refused`() {
        let bytes = Array(Self.node.utf8)
        for length in bytes.indices {
            #expect(throws: ReportError.self) {
                try DeviceReport.decode(Array(bytes[..<length]), id: "phone:anna", receiver: "kitchen")
            }
        }
    }

    @Test func `arbitrary messages give values within their limits, or an error`() {
        var fuzz = Fuzz(seed: 33, corpus: [Self.node, #"{"rssi":-60}"#])
        var read = 0
        for _ in 0..<Fuzz.count {
            guard
                let (report, unusable) = try? DeviceReport.decode(
                    fuzz.next(),
                    id: "phone:anna",
                    receiver: "k"
                )
            else { continue }
            read += 1
            #expect((-200.0...200).contains(report.rssi) && unusable.count <= 8)
            #expect((0...DeviceReport.farthest).contains(report.distance ?? 0))
            #expect((report.name ?? "").utf8.count <= 6 * DeviceReport.longestName)
        }
        #expect(read > 100)
    }
}

@Suite struct ReceiverTelemetryTests {
    private static let node = """
        {"ip":"192.168.1.20","uptime":3600,"firm":"esp32","rssi":-55,"ver":"v4.0.0","adverts":9000,"seen":80,\
        "reported":700,"freeHeap":90000,"maxHeap":60000,"scanStack":2000,"loopStack":1000,"bleStack":500}
        """

    @Test func `a node's telemetry is read`() throws {
        let (telemetry, unusable) = try ReceiverTelemetry.decode(Array(Self.node.utf8))
        let expected = ReceiverTelemetry(
            ip: "192.168.1.20",
            uptime: 3600,
            firmware: "esp32",
            version: "v4.0.0",
            adverts: 9000,
            seen: 80,
            reported: 700
        )
        #expect(telemetry == expected && unusable.isEmpty)
        #expect(try ReceiverTelemetry.decode(telemetry.payload).telemetry == telemetry)
    }

    @Test func `what cannot be is left out, and a message cut off is refused`() throws {
        let (telemetry, unusable) = try ReceiverTelemetry.decode(
            Array(#"{"uptime":-1,"adverts":"many","seen":3}"#.utf8)
        )
        #expect(telemetry == ReceiverTelemetry(seen: 3) && unusable.count == 2)
        let bytes = Array(Self.node.utf8)
        for length in bytes.indices {
            #expect(throws: ReportError.self) { try ReceiverTelemetry.decode(Array(bytes[..<length])) }
        }
    }

    @Test func `a status is online or offline`() throws {
        for status in ReceiverStatus.allCases { #expect(try ReceiverStatus(status.payload) == status) }
        for text in ["", "Online", "on", "onlinex", String(repeating: "x", count: 100)] {
            #expect(throws: ReportError.self) { try ReceiverStatus(Array(text.utf8)) }
        }
    }
}

@Suite struct KeyListTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"
    private static let other = "0f0e0d0c0b0a09080706050403020100"

    @Test func `a file has a name and a key on each line`() throws {
        let list = try KeyList(file: "# ours\nanna \(Self.key)\n\n  bob\t\(Self.other)  # his\r\n")
        #expect(list.entries.map(\.name) == ["anna", "bob"])
        #expect(list.entries.map { $0.key.reveal() } == [Self.key, Self.other])
        #expect(try KeyList(payload: list.payload) == list)
    }

    @Test(arguments: [
        ("anna", "line 1: a line has a name and a key"),
        ("anna \(KeyListTests.key)\nanna \(KeyListTests.other)", "line 2: the name anna"),
        ("anna \(KeyListTests.key)\nbob \(KeyListTests.key)", "line 2: anna and bob have the same key"),
        ("anna \(KeyListTests.key)\nbob 9b7d390aa610103405adc857a33402ec", "same key"),
        ("anna 1234", "line 1: an identity key has 32"),
        ("Anna \(KeyListTests.key)", "name of a key must be"),
        ("a/b \(KeyListTests.key)", "name of a key must be"),
        ("12ab \(KeyListTests.key)", "name of a key must be"),
        ("\(KeyListTests.key) anna", "line 1: an identity key is base64"),
        (String(repeating: "# x\n", count: 20_000), "at most 65536"),
    ])
    func `another file is refused with its line`(_ text: String, _ why: String) {
        let error = #expect(throws: ReportError.self) { try KeyList(file: text) }
        #expect(error?.description.contains(why) == true)
        #expect(!(error?.description.contains("ec0234a3") ?? true))
    }

    @Test(arguments: [
        "", "[]", #"{"keys":[]}"#, #"{"keys":{"anna":1}}"#, #"{"keys":{"anna":"12"}}"#,
        #"{"keys":{"anna":"ec0234a357c8ad05341010a60a397d9b","anna":"0f0e0d0c0b0a09080706050403020100"}}"#,
    ])
    func `another message of keys is refused`(_ text: String) {
        #expect(throws: ReportError.self) { try KeyList(payload: Array(text.utf8)) }
    }

    @Test(arguments: [
        #"{"keys":{"ec0234a357c8ad05341010a60a397d9b":"anna"}}"#,
        #"{"keys":{"ec0234a357c8ad05341010a60a397d9b":1}}"#,
        #"{"keys":{"anna":"ec0234a357c8ad05341010a60a397d9"}}"#,
    ])
    func `a key in the wrong place is not shown`(_ text: String) {
        let error = #expect(throws: ReportError.self) { try KeyList(payload: Array(text.utf8)) }
        #expect(error?.description.contains("ec0234a3") == false)
    }

    @Test func `at most 256 keys are taken`() throws {
        var list = KeyList()
        for number in 1...256 {
            let digits = String(repeating: "0", count: 28) + String(4096 + number, radix: 16)
            try list.add("key-\(number)x", IdentityKey(text: digits))
        }
        #expect(throws: ReportError.self) { try list.add("one-more", IdentityKey(text: Self.key)) }
    }
}
