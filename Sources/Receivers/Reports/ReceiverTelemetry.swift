import JSON

/// What a receiver tells about itself, on `<topic>/rooms/<receiver>/telemetry`.
///
/// - Source: ESPresense, main.cpp, `sendTelemetry`; our own receivers write `version`, ESPresense writes `ver`.
package struct ReceiverTelemetry: Sendable, Hashable {
    package var ip: String?
    /// Seconds since it started.
    package var uptime: Int?
    /// What runs on it: `trilateral`, or the kind of ESPresense's firmware.
    package var firmware: String?
    package var version: String?
    /// Packets received, devices heard, reports published, reports that failed; since it started.
    package var adverts: Int?
    package var seen: Int?
    package var reported: Int?
    package var failed: Int?

    package static let longestPayload = 8192

    package init(
        ip: String? = nil,
        uptime: Int? = nil,
        firmware: String? = nil,
        version: String? = nil,
        adverts: Int? = nil,
        seen: Int? = nil,
        reported: Int? = nil,
        failed: Int? = nil
    ) {
        (self.ip, self.uptime, self.firmware, self.version) = (ip, uptime, firmware, version)
        (self.adverts, self.seen, self.reported, self.failed) = (adverts, seen, reported, failed)
    }

    /// Decodes a message; what of it cannot be used is left out, with the reasons.
    package static func decode(
        _ payload: [UInt8]
    ) throws(ReportError) -> (telemetry: ReceiverTelemetry, unusable: [ReportError]) {
        var fields = try ReportFields(payload, longest: longestPayload)
        let count = 0...1_000_000_000_000
        let telemetry = ReceiverTelemetry(
            ip: fields.text("ip", upTo: 64),
            uptime: fields.whole("uptime", in: 0...10_000_000_000),
            firmware: fields.text("firm", upTo: 64),
            version: fields.has("version")
                ? fields.text("version", upTo: 128) : fields.text("ver", upTo: 128),
            adverts: fields.whole("adverts", in: count),
            seen: fields.whole("seen", in: count),
            reported: fields.whole("reported", in: count),
            failed: fields.whole("failed", in: count)
        )
        return (telemetry, fields.unusable)
    }

    package var payload: [UInt8] {
        var members = JSONObject()
        if let ip { members["ip"] = .string(ip) }
        if let uptime { members["uptime"] = JSONValue(uptime) }
        if let firmware { members["firm"] = .string(firmware) }
        if let version { members["version"] = .string(version) }
        if let adverts { members["adverts"] = JSONValue(adverts) }
        if let seen { members["seen"] = JSONValue(seen) }
        if let reported { members["reported"] = JSONValue(reported) }
        if let failed { members["failed"] = JSONValue(failed) }
        return JSONValue.object(members).bytes
    }
}

/// Whether a receiver is there, retained on `<topic>/rooms/<receiver>/status`; `offline` is its last will.
package enum ReceiverStatus: String, Sendable, Hashable, CaseIterable {
    case online, offline

    package init(_ payload: [UInt8]) throws(ReportError) {
        let text = String(decoding: payload.prefix(32), as: UTF8.self)
        guard payload.count <= 32, let status = ReceiverStatus(rawValue: text) else {
            throw ReportError("must be online or offline")
        }
        self = status
    }

    package var payload: [UInt8] { Array(rawValue.utf8) }
}
