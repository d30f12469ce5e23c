import Foundation
import JSON
import MQTT
import TestSupport

/// A real lamp as its firmware or bridge speaks, played on the broker.
actor RealLamp {
    enum Kind: String, CaseIterable, Sendable { case zigbee2mqtt, tasmota, wled }

    nonisolated let kind: Kind
    /// Its own topic, which nobody else has.
    nonisolated let topic: String
    private nonisolated let client: MQTTClient
    private(set) var isOn = false
    /// Percent.
    private(set) var level = 50
    private(set) var hue = 0
    private(set) var saturation = 100
    /// Everything that it was told, without questions.
    private(set) var orders: [MQTTMessage] = []
    private(set) var questions = 0
    private var isDeaf = false

    /// - Parameter name: What it is called where all are of one base; else it has a topic that nobody else has.
    init(_ kind: Kind, name: String? = nil, client: MQTTClient) {
        self.kind = kind
        self.client = client
        let number = UInt32.random(in: .min ... .max)
        topic =
            if let name { kind == .tasmota ? name : "\(kind.rawValue)/\(name)" } else {
                kind == .tasmota ? "lamp\(number)" : "house\(number)/lamp"
            }
    }

    /// The entry of the configuration for it.
    nonisolated func entry(for thing: String) -> String {
        "  - {thing: \(thing), kind: \(kind.rawValue), topic: \(topic)}\n"
    }

    nonisolated var filters: [String] {
        switch kind {
        case .zigbee2mqtt: ["\(topic)/set", "\(topic)/get"]
        case .tasmota: ["cmnd/\(topic)/+"]
        case .wled: ["\(topic)/api", topic, "\(topic)/col"]
        }
    }

    // MARK: What is done to it

    /// Somebody presses its switch, or turns its knob.
    func press(isOn: Bool? = nil, level: Int? = nil, hue: Int? = nil) {
        self.isOn = isOn ?? self.isOn
        self.level = level ?? self.level
        self.hue = hue ?? self.hue
        tell()
    }

    /// From now on it hears nothing, or hears again.
    func setDeaf(_ isDeaf: Bool) { self.isDeaf = isDeaf }

    func hear(_ message: MQTTMessage) {
        let verb = message.topic.split(separator: "/").last.map(String.init) ?? ""
        let text = message.text
        if verb == "get" || verb == "STATE" {
            questions += 1
        } else {
            orders.append(message)
        }
        guard !isDeaf else { return }
        switch kind {
        case .zigbee2mqtt: obey(zigbee: (try? JSONValue(parsing: text)) ?? .null)
        case .tasmota: verb == "Backlog" ? obey(backlog: text) : obey(verb, text)
        case .wled: obey(wled: (try? JSONValue(parsing: text)) ?? .null)
        }
        tell()
    }

    private func obey(zigbee order: JSONValue) {
        if order["state"] == "" { return }
        if let state = order["state"]?.string { isOn = state == "ON" }
        if let brightness = order["brightness"]?.number { level = Int((brightness / 2.54).rounded()) }
        if let x = order["color"]?["x"]?.number { hue = x > 0.5 ? 0 : x < 0.2 ? 240 : 120 }
    }

    private func obey(backlog: String) {
        for step in backlog.split(separator: ";") where step != "NoDelay" {
            let words = step.split(separator: " ").map(String.init)
            if words.count == 2 { obey(words[0], words[1]) }
        }
    }

    private func obey(_ command: String, _ value: String) {
        switch command {
        case "POWER": isOn = value == "ON"
        case "Dimmer":
            level = Int(value) ?? level
            isOn = level > 0
        case "HSBColor":
            let numbers = value.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 3 else { return }
            (hue, saturation, level) = (numbers[0], numbers[1], numbers[2])
            isOn = level > 0
        default: break
        }
    }

    private func obey(wled order: JSONValue) {
        if let on = order["on"]?.bool { isOn = on }
        if let brightness = order["bri"]?.number { level = Int((brightness / 2.55).rounded()) }
        if let colour = order["seg"]?["col"]?.array?.first?.array?.compactMap(\.number), colour.count == 3 {
            hue = colour[0] > 200 ? 0 : colour[2] > 200 ? 240 : 120
        }
    }

    // MARK: What it says

    func tell() {
        let power = isOn ? "ON" : "OFF"
        switch kind {
        case .zigbee2mqtt:
            let brightness = Int((Double(level) * 2.54).rounded())
            say(
                "",
                #"{"state":"\#(power)","brightness":\#(brightness),"color":{"hue":\#(hue),"saturation":\#(saturation)},"color_mode":"hs","linkquality":87}"#
            )
        case .tasmota:
            let colour = #""Dimmer":\#(level),"HSBColor":"\#(hue),\#(saturation),\#(level)","Fade":"OFF""#
            client.publish(message("stat/\(topic)/RESULT", #"{"POWER":"\#(power)",\#(colour)}"#))
            client.publish(message("stat/\(topic)/POWER", power))
        case .wled:
            let brightness = isOn ? Int((Double(level) * 2.55).rounded()) : 0
            let (red, green, blue) = hue == 0 ? (255, 0, 0) : hue == 240 ? (0, 0, 255) : (0, 255, 0)
            say("/g", "\(brightness)")
            say("/c", String(format: "#%06X", red << 16 | green << 8 | blue))
            say(
                "/v",
                "<?xml version=\"1.0\" ?><vs><ac>\(brightness)</ac><cl>\(red)</cl><cl>\(green)</cl><cl>\(blue)</cl><cs>0</cs></vs>"
            )
        }
    }

    /// What it, or its bridge, says of whether it can be reached.
    nonisolated func setAvailable(_ isOnline: Bool) {
        let word = isOnline ? "online" : "offline"
        let (place, text) =
            switch kind {
            case .zigbee2mqtt: ("\(topic)/availability", #"{"state":"\#(word)"}"#)
            case .tasmota: ("tele/\(topic)/LWT", isOnline ? "Online" : "Offline")
            case .wled: ("\(topic)/status", word)
            }
        var message = message(place, text)
        message.isRetained = true
        client.publish(message)
    }

    nonisolated func say(_ tail: String, _ payload: String) { client.publish(message(topic + tail, payload)) }

    private nonisolated func message(_ topic: String, _ payload: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce)
    }

    // MARK: What a test asks

    func awaits(within limit: Duration = .seconds(30), _ condition: (RealLamp.Look) -> Bool) async throws {
        let isSo = await eventually(within: limit) { condition(look) }
        if !isSo { throw NotSo(look: look, orders: orders.map { "\($0.topic) \($0.text)" }) }
    }

    struct Look: Sendable {
        let isOn: Bool
        let level: Int
        let hue: Int
    }

    struct NotSo: Error {
        let look: Look
        let orders: [String]
    }

    var look: Look { Look(isOn: isOn, level: level, hue: hue) }

    func forget() { orders = [] }
}

/// Runs the body with a lamp that hears.
func withLamp<Result: Sendable>(
    _ kind: RealLamp.Kind,
    name: String? = nil,
    port: Int? = nil,
    _ change: (inout MQTTConfiguration) -> Void = { _ in },
    _ body: (RealLamp) async throws -> Result
) async throws -> Result {
    try await withVisitor(to: "none", port: try port ?? SharedMosquitto.broker.port, change) { visitor in
        let lamp = RealLamp(kind, name: name, client: visitor.client)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let messages = visitor.client.subscribe(lamp.filters, qos: .atLeastOnce)
            group.addTask { for await message in messages { await lamp.hear(message) } }
            defer { group.cancelAll() }
            return try await body(lamp)
        }
    }
}
