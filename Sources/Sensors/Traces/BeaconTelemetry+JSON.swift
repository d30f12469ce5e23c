import JSON
import Positioning

// Telemetry in a line of a trace.

extension BeaconTelemetry {
    var members: JSONObject {
        var members: JSONObject = ["format": .string(format.rawValue)]
        members["battery"] = batteryVolts.map { .number($0) }
        members["celsius"] = celsius.map { .number($0) }
        members["humidity"] = humidity.map { .number($0) }
        members["pascals"] = pascals.map { .number($0) }
        members["uptime"] = uptimeSeconds.map { .number($0) }
        members["movements"] = movements.map { JSONValue($0) }
        members["packets"] = packets.map { JSONValue($0) }
        members["acceleration"] = acceleration.map {
            .array([JSONValue($0.x), JSONValue($0.y), JSONValue($0.z)])
        }
        return members
    }

    init(_ fields: inout ReadingFields) throws(ReadingError) {
        let name = try fields.text("format")
        guard let format = Format(rawValue: name) else {
            let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw ReadingError("unknown format \"\(name)\"; legal are \(known)")
        }
        self.init(format: format)
        batteryVolts = try fields.optionalNumber("battery", in: 0...66)
        celsius = try fields.optionalNumber("celsius", in: -200...200)
        humidity = try fields.optionalNumber("humidity", in: 0...200)
        pascals = try fields.optionalNumber("pascals", in: 0...200_000)
        uptimeSeconds = try fields.optionalNumber("uptime", in: 0...1e9)
        movements = try fields.optionalWhole("movements", in: 0...255)
        packets = try fields.optionalWhole("packets", in: 0...Int(UInt32.max))
        guard let list = fields.optional("acceleration")?.array else { return }
        let parts = list.compactMap(\.integer)
        guard list.count == 3, parts.count == 3, parts.allSatisfy({ (-32768...32767).contains($0) }) else {
            throw ReadingError("acceleration must be three whole numbers from -32768 to 32767")
        }
        acceleration = SIMD3(x: parts[0], y: parts[1], z: parts[2])
    }
}

extension TelemetrySender {
    var members: JSONObject {
        switch self {
        case .beacon(let identity): identity.members
        case .device(let address):
            ["address": .string(address.description), "random": .bool(address.isRandom)]
        }
    }

    init(_ fields: inout ReadingFields) throws(ReadingError) {
        guard let text = try fields.optionalText("address") else {
            self = .beacon(try BeaconIdentity(&fields))
            return
        }
        guard let address = DeviceAddress(text, isRandom: fields.optional("random")?.bool ?? false) else {
            throw ReadingError("address must be as in C0:FF:EE:00:00:01 (is \"\(text)\")")
        }
        self = .device(address)
    }
}
