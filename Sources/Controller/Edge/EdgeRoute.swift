import Flare
package import JSON
package import Things

/// How a thing at the edge is reached: its orders go to the thing itself, and the Flare server keeps what it has done.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeRoute: Sendable, Hashable {
    /// The longest that a set waits for the thing's answer: less than the page waits, milliseconds.
    package static let longestWait: Int64 = 8000
    /// What may be set of a thing that says nothing about it.
    package static let settable: Set<String> = ["on", "brightness", "color"]

    /// How long a set waits for the thing's answer, milliseconds.
    package let waitMilliseconds: Int64
    /// The keys of its data that may be set; what else it reports is only reported.
    ///
    /// Of a thing with a profile that says it instead.
    package let settable: Set<String>

    /// - Parameter commandSeconds: How long a command may take.
    package init(commandSeconds: Double, settable: Set<String>? = nil) {
        let milliseconds = commandSeconds.isFinite ? max(commandSeconds, 0) * 1000 : .infinity
        waitMilliseconds = milliseconds < Double(Self.longestWait) ? Int64(milliseconds) : Self.longestWait
        self.settable = settable ?? Self.settable
    }

    /// The data of a new thing that has reported something: with `readonly` where that is more than what may be set.
    ///
    /// - Parameter hasKind: Whether a profile says what may be set.
    package func firstData(of reported: JSONObject, hasKind: Bool) -> JSONObject {
        // With a name within it that the server refuses, it would not make the thing at all.
        var data = reported.reportable.filter { $0.value.isStorable }
        let readOnly = hasKind ? [] : data.keys.filter { !settable.contains($0) }.sorted()
        if !readOnly.isEmpty { data["readonly"] = .array(readOnly.map { .string($0) }) }
        return data
    }
}

/// What has happened to a thing at the edge.
package enum EdgeEvent: Sendable, Hashable {
    /// It is reached this way from now on; `nil` for a thing that the Flare server alone keeps.
    case routed(EdgeRoute?)
    /// It says that it is there, or its last will that it is not; `nil` if it has said neither.
    case status(isOnline: Bool?)
    /// It has told its state, or a part of it: what is new becomes its data at the server.
    case reported(JSONObject)
    /// The same, in an upload that was accepted just now: slices may follow it, also if nothing in it is new.
    ///
    /// What a thing has reported before it was linked, and what the broker had kept, is none.
    /// - Parameter address: That of the thing; `nil` if it is not known.
    case uploaded(JSONObject, from: String? = nil)
    /// It has answered an order, with one result for each of ``EdgeOrder/orders``: what it says besides, or why it has not
    /// carried that out.
    ///
    /// What is missing at the end of the list it has not carried out.
    case answered(_ number: Int, [Result<JSONValue?, Refusal>])
}

extension JSONObject {
    /// What becomes data of the thing that has reported it: what identifies a thing, or names its profile, is the place's.
    var reportable: JSONObject {
        filter { key, value in
            !value.isNull && !key.contains(".") && DataPath(key) != nil && !DataKey.isFixed(key)
        }
    }
}

extension JSONValue {
    /// Whether no name in it is one that the Flare server refuses.
    fileprivate var isStorable: Bool {
        switch self {
        case .object(let members):
            members.keys.allSatisfy { !$0.hasPrefix("$") && !$0.contains(".") }
                && members.values.allSatisfy(\.isStorable)
        case .array(let values): values.allSatisfy(\.isStorable)
        case .null, .bool, .number, .numeral, .string: true
        }
    }
}
