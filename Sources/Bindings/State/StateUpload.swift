package import JSON
import Text
package import Things

/// States that a thing reports: one, or a list of those that it kept while it could not report.
///
/// - Source: contrib/contract/bindings.md, "States".
package struct StateUpload: Sendable, Hashable {
    package struct Sample: Sendable, Hashable {
        /// Milliseconds since 1970.
        package let at: Int64
        package let state: JSONObject
    }

    /// The oldest first; never empty.
    package let samples: [Sample]
    private let newest: Sample
    private let isList: Bool

    /// Bytes of one state: of a body as it was sent, of a member of a list as compact JSON.
    package static let maximumState = 10_240
    /// Bytes of a list.
    package static let maximumList = 61_440
    /// Levels of objects and lists within a state, with its own.
    package static let maximumDepth = 16
    /// How old a state of a list may be, milliseconds.
    package static let oldest: Int64 = 86_400_000
    /// How far in the future a state of a list may be, milliseconds, for clocks that are fast.
    package static let farthest: Int64 = 60_000
    /// How many states of a list count as one upload.
    package static let statesPerUpload = 50

    /// Reads one state, as it comes over HTTP.
    ///
    /// - Parameter now: Its time, milliseconds since 1970.
    package init(state bytes: some Collection<UInt8>, at now: Int64) throws(Refusal) {
        guard bytes.count <= Self.maximumState else {
            throw Self.tooLarge("state", bytes.count, Self.maximumState)
        }
        self.init(Sample(at: now, state: try Self.state(try Self.json(bytes), at: "state")))
    }

    /// Reads one state or a list, as they come from the thing's own topic.
    ///
    /// A list is taken as a whole or refused as a whole, so that it can be sent again.
    package init(message bytes: some Collection<UInt8>, at now: Int64) throws(Refusal) {
        // Anything but a list is a single state, which has a lower limit.
        guard bytes.count <= Self.maximumList else {
            throw Self.tooLarge("states", bytes.count, Self.maximumList)
        }
        let json = try Self.json(bytes)
        guard let list = json.array else {
            guard bytes.count <= Self.maximumState else {
                throw Self.tooLarge("state", bytes.count, Self.maximumState)
            }
            let state = try Self.state(json, at: "state")
            if Self.isElement(state) {
                throw Refusal(
                    .wrongType,
                    #"a state with its time stands in a list, also a single one: [{"at":…,"state":{…}}]"#,
                    field: "state"
                )
            }
            self.init(Sample(at: now, state: state))
            return
        }
        var samples: [Sample] = []
        for (index, json) in list.enumerated() {
            let sample = try Self.sample(json, at: "states[\(index)]", now)
            if let last = samples.last, last.at > sample.at {
                throw Refusal(
                    .invalidValue,
                    "states[\(index)].at must not be before that of the state before; the oldest comes first",
                    field: "states[\(index)].at"
                )
            }
            samples.append(sample)
        }
        guard let newest = samples.last else {
            throw Refusal(
                .invalidValue,
                "states must be a list of one state or more, is empty",
                field: "states"
            )
        }
        self.init(newest, in: samples)
    }

    private init(_ newest: Sample, in list: [Sample]? = nil) {
        (self.newest, samples, isList) = (newest, list ?? [newest], list != nil)
    }
}

// MARK: - Reading

extension StateUpload {
    private static func tooLarge(_ path: String, _ count: Int, _ most: Int) -> Refusal {
        Refusal(.tooLarge, "\(path) must have at most \(most) bytes, has \(count)", field: path)
    }

    /// Whether it is an element of a list that was sent without the list: no thing has these fields.
    private static func isElement(_ state: JSONObject) -> Bool {
        state.count == 2 && state["at"]?.number != nil && state["state"]?.object != nil
    }

    private static func json(_ bytes: some Collection<UInt8>) throws(Refusal) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, refusesRepeats: true)
        } catch {
            throw Refusal(.badJSON, "the state is no JSON: \(error)")
        }
    }

    private static func state(_ json: JSONValue, at path: String) throws(Refusal) -> JSONObject {
        guard let state = json.object else {
            throw Refusal(.wrongType, "\(path) must be an object, is \(QuotedValue.of(json))", field: path)
        }
        var buffer = JSONBuffer()
        buffer.write(state)
        guard buffer.nesting <= maximumDepth else {
            let rest = "must have at most \(maximumDepth) levels, has \(buffer.nesting)"
            throw Refusal(.invalidValue, "\(path) \(rest)", field: path)
        }
        return state
    }

    private static func sample(_ json: JSONValue, at path: String, _ now: Int64) throws(Refusal) -> Sample {
        let object = try ReceivedObject(json, at: path, known: ["at", "state"])
        let legal = "the time of the state, in milliseconds since 1970"
        _ = try object.required("at", legal)
        guard let at = try object.optionalWhole("at", HistoryTime.legal) else {
            throw object.refusal(.invalidValue, of: "at", "must be \(legal)")
        }
        let now = HistoryTime.clamped(now)
        guard at >= now - oldest else {
            throw object.refusal(.invalidValue, of: "at", "must be at most a day ago, is \(now - at) ms ago")
        }
        guard at <= now + farthest else {
            throw object.refusal(
                .invalidValue,
                of: "at",
                "must be at most a minute ahead, is \(at - now) ms ahead"
            )
        }
        let path = object.path(of: "state")
        let state = try state(try object.required("state", "an object"), at: path)
        var buffer = JSONBuffer()
        buffer.write(state)
        guard buffer.count <= maximumState else { throw tooLarge(path, buffer.count, maximumState) }
        return Sample(at: at, state: state)
    }
}

// MARK: - Use

extension StateUpload {
    /// The state that becomes the thing's: the newest of a list only if it is newer than the last one that was accepted.
    ///
    /// - Parameter last: The time of that one; `nil` before the first.
    package func current(after last: Int64?) -> Sample? {
        guard isList, let last else { return newest }
        return newest.at > last ? newest : nil
    }

    /// How many uploads it counts as, for the limit of what a thing may report.
    package var cost: Int { (samples.count - 1) / Self.statesPerUpload + 1 }

    /// The top-level fields whose values another state has not.
    package static func changes(from before: JSONObject?, to after: JSONObject) -> JSONObject {
        before.map { after.members(unlike: $0) } ?? after
    }
}
