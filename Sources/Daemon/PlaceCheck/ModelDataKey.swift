import Flare
import Foundation
import JSON
import Positioning
import Settings

/// A key of an object's data that has a meaning, and the values that it may have.
///
/// Data may hold anything: what is not listed here is nobody's mistake, unless it is nearly called like one that is.
enum ModelDataKey {
    case anything, text, flag, texts, object, uuid, kind, colour, timeZone
    case number(ClosedRange<Double>)
    case whole(ClosedRange<Int>)

    static func all(of kind: FlareClass) -> [String: ModelDataKey] {
        switch kind {
        case .environment: environment
        case .zone: zone
        case .thing: thing
        case .device: device
        }
    }

    private static let metres = ModelDataKey.number(-1e6...1e6)
    private static let beaconNumber = ModelDataKey.whole(0...65535)
    private static let environment: [String: ModelDataKey] = [
        "uuid": .uuid, "distance": metres, "flipped": .anything, "positioning": .object,
        "time_zone": .timeZone,
    ]
    private static let zone: [String: ModelDataKey] = ["major": beaconNumber]
    private static let thing: [String: ModelDataKey] = [
        "minor": beaconNumber, "on": .flag, "brightness": .number(0...1), "color": .colour,
        "colorTemperature": .number(1000...12_000), "options": .texts, "readonly": .texts, "kind": .kind,
        "power": .number(-127 ... -1), "receiver": .text, "mac": .text,
        "profile": .text, "oemModel": .text, "model": .anything,
    ]
    private static let device: [String: ModelDataKey] = ["mac": .text, "angle": .number(-1e6...1e6)]

    /// What a value should be; `nil` when it is.
    func problem(with value: JSONValue) -> String? {
        switch (self, value) {
        case (.anything, _), (.text, .string), (.colour, .string), (.flag, .bool), (.object, .object):
            nil
        case (.number(let range), .number(let number)):
            range.contains(number)
                ? nil : "must be \(range.lowerBound.shortText) to \(range.upperBound.shortText)"
        case (.whole(let range), .number(let number)):
            Int(exactly: number).map(range.contains) == true
                ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case (.texts, .array(let elements)) where elements.allSatisfy({ $0.string != nil }):
            nil
        case (.uuid, .string(let text)) where BeaconUUID(text) != nil:
            nil
        case (.kind, "switch"), (.kind, "light"):
            nil
        case (.timeZone, .string(let name)): Self.problem(ofTimeZone: name)
        case (.number, .string(let text)) where Double(text) != nil,
            (.whole, .string(let text)) where Double(text) != nil:
            "must be a number, without quotes"
        case (.text, _), (.colour, _), (.timeZone, _): "must be a text"
        case (.flag, _): "must be true or false"
        case (.number, _), (.whole, _): "must be a number"
        case (.texts, _): "must be a list of texts"
        case (.object, _): "must be an object"
        case (.uuid, _): "must be 32 hexadecimal digits"
        case (.kind, _): "must be \"switch\" or left out"
        }
    }

    private static func problem(ofTimeZone name: String) -> String? {
        do throws(TimeZoneError) {
            _ = try TimeZoneDatabase(ProcessInfo.processInfo.environment).zone(named: name)
            return nil
        } catch {
            // A place may be checked on another machine than its daemon's.
            guard error.cause == .name else { return nil }
            return "must be a time zone that this machine knows, such as Europe/Berlin"
        }
    }

    /// What becomes of a value that is not as it should be, as the rest of a sentence; nothing where others may have a
    /// use for it.
    func effect(of value: JSONValue) -> String {
        if case .timeZone = self { return "; rules go by another one" }
        guard case .whole(let range) = self else { return "" }
        // Numbers in quotes are read all the same.
        let number = (value.number ?? value.string.flatMap(Double.init)).flatMap { Int(exactly: $0) }
        return number.map(range.contains) == true ? "" : "; it is kept, but no beacon has it"
    }
}
