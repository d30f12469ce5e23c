import Positioning
import SeededRandom
import Sensors
import Testing

@Suite struct ESPresenseReportTests {
    private static let topic = "espresense/devices/phone:anna/kitchen"
    /// A message of version 4.
    private static let report = """
        {"mac":"5ef2d0a3c1b4","id":"phone:anna","name":"Anna","rssi@1m":-65,"rssi":-71.33,"rxAdj":0,"rssiVar":1.02,
        "distance":1.81,"var":0.44,"int":312}
        """

    private func read(_ text: String, topic: String = topic) -> Result<SensorReading?, ReadingError> {
        ESPresenseReport.readings(from: Array(text.utf8), topic: topic, at: 5).map(\.readings.first)
    }

    private func problem(_ text: String, topic: String = topic) -> String {
        switch read(text, topic: topic) {
        case .success(let reading): "no error: \(reading.map { "\($0)" } ?? "nothing")"
        case .failure(let error): error.description
        }
    }

    @Test func `a node's report gives a sighting of the device`() throws {
        let sighting = ReceiverSighting(receiver: "kitchen", rssi: -71, powerAtOneMetre: -65, time: 5)
        #expect(try read(Self.report).get() == .receiver(sighting))
        // Version 3 sends whole numbers and other members.
        let old =
            #"{"id":"tile:1","idType":10,"rssi@1m":-65,"rssi":-71,"raw":2.1,"distance":1.9,"speed":0.1}"#
        #expect(try read(old).get() == .receiver(sighting))
    }

    @Test func `a report without a power at one metre has none`() throws {
        let sighting = ReceiverSighting(receiver: "kitchen", rssi: -71, time: 5)
        #expect(try read(#"{"rssi":-71.4}"#).get() == .receiver(sighting))
        #expect(try read(#"{"rssi":"-71.4","rssi@1m":null,"distance":NaN}"#).get() == .receiver(sighting))
        let partly = #"{"rssi":-71,"rssi@1m":1e9}"#
        #expect(try read(partly).get() == .receiver(sighting))
        let why = try ESPresenseReport.readings(from: Array(partly.utf8), topic: Self.topic, at: 5).get()
            .unusable.map(\.description)
        #expect(why == ["\(Self.topic): rssi@1m must be a number from -200.0 to 200.0 (is 1000000000)"])
    }

    @Test(arguments: [#"{"rssi":0}"#, #"{"rssi":-128}"#, #"{"rssi":127,"rssi@1m":-60}"#])
    func `a report that the device was not received gives no reading`(_ text: String) throws {
        #expect(try read(text).get() == nil)
    }

    @Test(arguments: [
        ("", "is not JSON"), ("[]", "must be an object with rssi"), ("{}", "rssi is missing"),
        (#"{"rssi":"near"}"#, "rssi must be a number"),
        (#"{"rssi":-60,"x":\#(String(repeating: "1", count: 5000))}"#, "at most 4096"),
        (String(repeating: "[", count: 300), "is not JSON"),
    ])
    func `an invalid report is refused with the topic and what is legal`(_ text: String, _ why: String) {
        #expect(problem(text).contains(why) && problem(text).hasPrefix(Self.topic))
    }

    @Test func `a node needs a name`() {
        #expect(problem(Self.report, topic: "espresense/devices/x/").contains("node's name"))
        #expect(
            problem(Self.report, topic: "a/" + String(repeating: "n", count: 65)).contains("node's name")
        )
    }

    @Test func `arbitrary messages give a valid reading or none`() {
        var fuzz = Fuzz(seed: 27, corpus: [Array(Self.report.utf8), Array(#"{"rssi":-60}"#.utf8)])
        var heard = 0
        for _ in 0..<Fuzz.count {
            guard
                case .receiver(let sighting)? = try? ESPresenseReport.readings(
                    from: fuzz.next(),
                    topic: Self.topic,
                    at: 1
                ).get().readings.first
            else { continue }
            heard += 1
            #expect(BeaconSighting.isUsable(rssi: sighting.rssi))
        }
        #expect(heard > 100)
    }
}
